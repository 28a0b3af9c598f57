// A number, or that it is not known: as std::optional, in half the space. Rows that exist once per
// rank have it.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

namespace mprof {

// One value of T stands for "not known": of a double NaN, of an integer its largest.
template <class T>
class Known {
public:
    using value_type = T;

    Known() = default;
    Known(T value) : value_(value) {}
    Known(std::nullopt_t) {}
    Known(std::optional<T> value) : value_(value.value_or(unknown)) {}

    bool has_value() const
    {
        if constexpr (std::is_floating_point_v<T>)
            return !std::isnan(value_);
        else
            return value_ != unknown;
    }
    explicit operator bool() const { return has_value(); }
    operator std::optional<T>() const { return has_value() ? std::optional(value_) : std::nullopt; }
    T operator*() const { return value_; }
    T &operator*() { return value_; }
    T value() const { return std::optional<T>(*this).value(); }  // throws, as that of std::optional
    void reset() { value_ = unknown; }
    T value_or(T other) const { return has_value() ? value_ : other; }

    friend bool operator==(const Known &a, const std::optional<T> &b)
    {
        return std::optional<T>(a) == b;
    }

private:
    static constexpr T unknown = std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN()
                                                             : std::numeric_limits<T>::max();
    T value_ = unknown;
};

using KnownSeconds = Known<double>;

}  // namespace mprof
