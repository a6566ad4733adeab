/* Handlers and calls with each number of arguments: X(M) for each, and for a number of them M
 *   PARAMS##M  parameters behind others: , arg a0, arg a1
 *   GIVEN##M   what they are, before others: a0, a1,
 *   SENT##M    arguments behind others: , v[0], v[1]
 */
#ifndef COUNTS_H
#define COUNTS_H

#define ARGS_MAX 16

#define COUNTS(X)                                                                                  \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
#define PARAMS0
#define PARAMS1  , arg a0
#define PARAMS2  PARAMS1, arg a1
#define PARAMS3  PARAMS2, arg a2
#define PARAMS4  PARAMS3, arg a3
#define PARAMS5  PARAMS4, arg a4
#define PARAMS6  PARAMS5, arg a5
#define PARAMS7  PARAMS6, arg a6
#define PARAMS8  PARAMS7, arg a7
#define PARAMS9  PARAMS8, arg a8
#define PARAMS10 PARAMS9, arg a9
#define PARAMS11 PARAMS10, arg a10
#define PARAMS12 PARAMS11, arg a11
#define PARAMS13 PARAMS12, arg a12
#define PARAMS14 PARAMS13, arg a13
#define PARAMS15 PARAMS14, arg a14
#define PARAMS16 PARAMS15, arg a15
#define GIVEN0
#define GIVEN1  a0,
#define GIVEN2  GIVEN1 a1,
#define GIVEN3  GIVEN2 a2,
#define GIVEN4  GIVEN3 a3,
#define GIVEN5  GIVEN4 a4,
#define GIVEN6  GIVEN5 a5,
#define GIVEN7  GIVEN6 a6,
#define GIVEN8  GIVEN7 a7,
#define GIVEN9  GIVEN8 a8,
#define GIVEN10 GIVEN9 a9,
#define GIVEN11 GIVEN10 a10,
#define GIVEN12 GIVEN11 a11,
#define GIVEN13 GIVEN12 a12,
#define GIVEN14 GIVEN13 a13,
#define GIVEN15 GIVEN14 a14,
#define GIVEN16 GIVEN15 a15,
#define SENT0
#define SENT1  , v[0]
#define SENT2  SENT1, v[1]
#define SENT3  SENT2, v[2]
#define SENT4  SENT3, v[3]
#define SENT5  SENT4, v[4]
#define SENT6  SENT5, v[5]
#define SENT7  SENT6, v[6]
#define SENT8  SENT7, v[7]
#define SENT9  SENT8, v[8]
#define SENT10 SENT9, v[9]
#define SENT11 SENT10, v[10]
#define SENT12 SENT11, v[11]
#define SENT13 SENT12, v[12]
#define SENT14 SENT13, v[13]
#define SENT15 SENT14, v[14]
#define SENT16 SENT15, v[15]

#endif /* COUNTS_H */
