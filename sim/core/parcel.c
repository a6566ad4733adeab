/* Parcels between processes, for both ends: the core, and the back end that carries them. */
#include "core/group.h"

#include <stdlib.h>

#define PARCEL_BYTES 4096u

void *sim_parcel_room(struct sim_parcel *parcel, size_t n)
{
    unsigned char *place;

    if (parcel->room - parcel->used < n) {
        size_t room = 2 * parcel->room > parcel->used + n ? 2 * parcel->room
                                                          : parcel->used + n + PARCEL_BYTES;

        parcel->bytes = realloc(parcel->bytes, room);
        SIM_ASSERT(parcel->bytes != NULL);
        parcel->room = room;
    }
    place = parcel->bytes + parcel->used;
    parcel->used += n;
    return place;
}
