/* A program that uses no MPI. It is for C libraries and architectures for which there is none here.
 */
#include <stdio.h>

int main(void)
{
    printf("runs\n");
    return 0;
}
