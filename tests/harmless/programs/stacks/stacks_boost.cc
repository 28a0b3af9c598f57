// MPI is called from coroutines of Boost, which end in a return address that is none.
#if __has_include(<boost/context/fiber.hpp>)

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>

#include "harmless.h"

namespace context = boost::context;

int main(int argc, char **argv)
{
    constexpr int fibers = 30, rounds = 4;
    MPI_Init(&argc, &argv);
    int sum = 0;
    for (int number = 0; number < fibers; number++) {
        const auto body = [&](context::fiber &&resumer) {
            for (int i = 0; i < rounds; i++) {
                int result = 0;
                MPI_Allreduce(&i, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                sum += result;
                resumer = std::move(resumer).resume();
            }
            return std::move(resumer);
        };
        context::fiber fiber(std::allocator_arg, context::fixedsize_stack(1 << 20), body);
        while (fiber)
            fiber = std::move(fiber).resume();
    }
    printf("%d\n", sum);
    made("MPI_Allreduce", fibers * rounds);
    MPI_Finalize();
    return 0;
}

#else

#include "harmless.h"

int main()
{
    not_here("not installed: libboost-context-dev");
}

#endif
