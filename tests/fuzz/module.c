/* A small library whose ELF file and debug data the fuzz target of ELF files begins with. */
static int twice(int number)
{
    return 2 * number;
}

int outer(int number);
int outer(int number)
{
    return twice(number) + 1;
}
