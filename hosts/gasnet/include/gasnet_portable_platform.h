/*
 * What compiler, operating system and processor a source is compiled for, by names that are the
 * same everywhere: each is 1, or not defined.
 */
#ifndef GASNET_PORTABLE_PLATFORM_H
#define GASNET_PORTABLE_PLATFORM_H

#include <stdint.h>

#define PLATFORM_COMPILER_VERSION_INT(major, minor, patch)                                         \
    (((major) << 24) | ((minor) << 16) | (patch))

#ifdef __clang__
#define PLATFORM_COMPILER_CLANG          1
#define PLATFORM_COMPILER_FAMILYNAME     CLANG
#define PLATFORM_COMPILER_FAMILYNAME_STR "CLANG"
#define PLATFORM_COMPILER_FAMILYID       19
#define PLATFORM_COMPILER_VERSION                                                                  \
    PLATFORM_COMPILER_VERSION_INT(__clang_major__, __clang_minor__, __clang_patchlevel__)
#ifdef __cplusplus
#define PLATFORM_COMPILER_CLANG_CXX 1
#else
#define PLATFORM_COMPILER_CLANG_C 1
#endif
#else
#define PLATFORM_COMPILER_GNU            1
#define PLATFORM_COMPILER_FAMILYNAME     GNU
#define PLATFORM_COMPILER_FAMILYNAME_STR "GNU"
#define PLATFORM_COMPILER_FAMILYID       1
#define PLATFORM_COMPILER_VERSION                                                                  \
    PLATFORM_COMPILER_VERSION_INT(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#ifdef __cplusplus
#define PLATFORM_COMPILER_GNU_CXX 1
#else
#define PLATFORM_COMPILER_GNU_C 1
#endif
#endif
#define PLATFORM_COMPILER_VERSION_STR __VERSION__
#define PLATFORM_COMPILER_IDSTR                                                                    \
    "|COMPILER_FAMILY:" PLATFORM_COMPILER_FAMILYNAME_STR "|COMPILER_VERSION:" __VERSION__ "|"
#ifdef __cplusplus
#define PLATFORM_COMPILER_CXX_LANGLVL __cplusplus
#elif defined(__STDC_VERSION__)
#define PLATFORM_COMPILER_C_LANGLVL __STDC_VERSION__
#endif

#define PLATFORM_COMPILER_VERSION_GE(major, minor, patch)                                          \
    (PLATFORM_COMPILER_VERSION >= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_GT(major, minor, patch)                                          \
    (PLATFORM_COMPILER_VERSION > PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LE(major, minor, patch)                                          \
    (PLATFORM_COMPILER_VERSION <= PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_LT(major, minor, patch)                                          \
    (PLATFORM_COMPILER_VERSION < PLATFORM_COMPILER_VERSION_INT(major, minor, patch))
#define PLATFORM_COMPILER_VERSION_EQ(major, minor, patch)                                          \
    (PLATFORM_COMPILER_VERSION == PLATFORM_COMPILER_VERSION_INT(major, minor, patch))

#define PLATFORM_OS_LINUX          1
#define PLATFORM_OS_FAMILYNAME     LINUX
#define PLATFORM_OS_FAMILYNAME_STR "LINUX"

#if defined(__x86_64__)
#define PLATFORM_ARCH_X86_64         1
#define PLATFORM_ARCH_FAMILYNAME     X86_64
#define PLATFORM_ARCH_FAMILYNAME_STR "X86_64"
#elif defined(__aarch64__)
#define PLATFORM_ARCH_AARCH64        1
#define PLATFORM_ARCH_FAMILYNAME     AARCH64
#define PLATFORM_ARCH_FAMILYNAME_STR "AARCH64"
#else
#define PLATFORM_ARCH_FAMILYNAME     UNKNOWN
#define PLATFORM_ARCH_FAMILYNAME_STR "UNKNOWN"
#endif
#if UINTPTR_MAX > UINT32_MAX
#define PLATFORM_ARCH_64 1
#else
#define PLATFORM_ARCH_32 1
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PLATFORM_ARCH_LITTLE_ENDIAN 1
#else
#define PLATFORM_ARCH_BIG_ENDIAN 1
#endif

#endif /* GASNET_PORTABLE_PLATFORM_H */
