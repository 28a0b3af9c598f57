/* What the measuring program tells the mprof command: lines on the standard output of rank 0, which
 * every launcher hands on.
 *
 *   mprof-machine<TAB>WORD<TAB>VALUE...
 *
 * parser/machine/read_answer.cc has the words and the values of each. */
#ifndef MPROF_ANSWER_LINES_H
#define MPROF_ANSWER_LINES_H

/* A value ends at a tab; tabs and line ends in a text become spaces. */
void answer_begin(const char *word);
void answer_text(const char *text);
void answer_number(long long number);
void answer_end(void);

#endif
