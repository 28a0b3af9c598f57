/* A small library. The fuzz target of ELF files begins with its ELF file and debug data. */
static int twice(int number)
{
    return 2 * number;
}

int outer(int number);
int outer(int number)
{
    return twice(number) + 1;
}
