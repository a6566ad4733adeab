/*
 * What the kernel and the processor give as random, here from getentropy() of libc.c: the same in
 * each run, so that a program which seeds itself by it prints the same again.
 */
#include <sys/random.h>
#include <unistd.h>

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */

ssize_t getrandom(void *bytes, size_t n, unsigned flags)
{
    (void)flags;
    (void)getentropy(bytes, n);
    return (ssize_t)n;
}

/* std::random_device of libstdc++, which asks the processor. Weak: where a program needs what is
 * not here, the archive's own take the place of all. */
#define RANDOM_DEVICE(type, name, symbol) __attribute__((weak)) type name __asm__(symbol)

RANDOM_DEVICE(
    void, device_open(void *device, const void *token),
    "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
RANDOM_DEVICE(void, device_open_text(void *device, const char *token, size_t n),
              "_ZNSt13random_device7_M_initEPKcm"); /* of strings as they were before C++11 */
RANDOM_DEVICE(void, device_close(void *device), "_ZNSt13random_device7_M_finiEv");
RANDOM_DEVICE(unsigned, device_value(void *device), "_ZNSt13random_device9_M_getvalEv");
RANDOM_DEVICE(double, device_entropy(const void *device), "_ZNKSt13random_device13_M_getentropyEv");

void device_open(void *device, const void *token)
{
    (void)device;
    (void)token;
}

void device_open_text(void *device, const char *token, size_t n)
{
    (void)device;
    (void)token;
    (void)n;
}

void device_close(void *device)
{
    (void)device;
}

unsigned device_value(void *device)
{
    unsigned value;

    (void)device;
    (void)getentropy(&value, sizeof(value));
    return value;
}

double device_entropy(const void *device)
{
    (void)device;
    return 32; /* bits, as the processor's */
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
