/* Before all files of a command with a .cu, which knows the calls of CUDA without a header. The
 * option is one for the whole command: C beside it has to ask for them. */
#ifdef __cplusplus
#include <cuda_runtime.h>
#endif
