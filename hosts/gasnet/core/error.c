/* The names of codes that functions return. */
#include "hosts/gasnet/core/rank.h"

static const struct {
    int code;
    const char *name, *description;
} errors[] = {
    { GASNET_OK, "GASNET_OK", "no error" },
    { GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT", "GASNet is not initialised" },
    { GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "a resource is lacking" },
    { GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "an argument is not valid" },
    { GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "the operation has not completed" },
    { GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH",
      "the ids or flags of a barrier differ" },
};

static unsigned error_of(int code)
{
    unsigned i = sizeof(errors) / sizeof(errors[0]);

    while (i-- > 0 && errors[i].code != code)
        ;
    return i;
}

const char *gasnet_ErrorName(int code)
{
    unsigned i = error_of(code);

    return i < sizeof(errors) / sizeof(errors[0]) ? errors[i].name : "no error of GASNet";
}

const char *gasnet_ErrorDesc(int code)
{
    unsigned i = error_of(code);

    return i < sizeof(errors) / sizeof(errors[0]) ? errors[i].description : "unknown code";
}
