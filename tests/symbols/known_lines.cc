// Calls in C++, with names that need demangling.
extern "C" void marker_member();
extern "C" void marker_template();
extern "C" void marker_lambda();

namespace app {

template <class T>
class Grid {
public:
    explicit Grid(T size) : size_(size) {}
    inline __attribute__((always_inline)) void send() const
    {
        marker_member();  // [send]
    }
    __attribute__((noinline)) T exchange(int times) const
    {
        for (int i = 0; i < times; i++)
            send();         // [exchange]
        marker_template();  // [after]
        return size_;
    }

private:
    T size_;
};

}  // namespace app

int main(int argc, char **)
{
    const app::Grid<double> grid(argc);
    const auto solve = [&](int times) __attribute__((noinline))
    {
        marker_lambda();  // [lambda]
        return grid.exchange(times);
    };
    return solve(argc) > 3 ? 1 : 0;
}
