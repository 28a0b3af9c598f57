// Calls MPI from templates, members and lambdas, for run_places.py. A comment "@N F" says that each
// rank makes N calls on this line, in a function whose demangled name contains F.
#include <mpi.h>

namespace grid {

template <class Value>
struct Field {
    Value value{};

    __attribute__((noinline)) Value norm()
    {
        double in = static_cast<double>(value);
        double out = 0;
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);  // @4 grid::Field<
        return static_cast<Value>(out);
    }
};

}  // namespace grid

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);  // @1 main
    grid::Field<int> whole{3};
    grid::Field<float> real{2};
    for (int i = 0; i < 2; i++) {
        whole.norm();
        real.norm();
    }
    const auto wait = [] { MPI_Barrier(MPI_COMM_WORLD); };  // @3 (lambda)
    for (int i = 0; i < 3; i++)
        wait();
    MPI_Finalize();  // @1 main
    return 0;
}
