// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/NpyFile.h"

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

namespace accelopt::bench {

static_assert(std::endian::native == std::endian::little,
              "the files are little-endian and mapped as they are");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 32;

struct ElementType
{
    std::string_view dtype;
    std::string_view descr;
    std::size_t bytes;
};

constexpr std::array<ElementType, 3> kTypes = {
    {{"float32", "<f4", 4}, {"float64", "<f8", 8}, {"int32", "<i4", 4}}};

struct Header
{
    DTypeName dtype;
    Shape shape;
    std::size_t dataOffset = 0;
    std::size_t elementBytes = 0;
};

/// Reads the Python dictionary of the header, which NumPy writes with exactly three members.
class HeaderText
{
public:
    explicit HeaderText(std::string_view text) : m_text(text) {}

    bool accept(std::string_view token)
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n'))
            ++m_at;
        if (!m_text.substr(m_at).starts_with(token))
            return false;
        m_at += token.size();
        return true;
    }

    std::optional<std::string_view> quoted()
    {
        const char quote = accept("'") ? '\'' : accept("\"") ? '"' : '\0';
        if (!quote)
            return std::nullopt;
        const std::size_t end = m_text.find(quote, m_at);
        if (end == std::string_view::npos)
            return std::nullopt;
        const std::string_view inside = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        return inside;
    }

    std::optional<Shape> tuple()
    {
        if (!accept("("))
            return std::nullopt;
        Shape shape;
        while (!accept(")")) {
            accept(" ");
            std::int64_t size = 0;
            const auto [end, status] =
                std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), size);
            if (status != std::errc() || size < 0 || shape.size() == kMaxRank)
                return std::nullopt;
            m_at = std::size_t(end - m_text.data());
            shape.push_back(size);
            if (!accept(",") && !m_text.substr(m_at).starts_with(")"))
                return std::nullopt;
        }
        return shape;
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
};

/// Understands the start of a file, or says in a phrase why not.
tl::expected<Header, std::string> parseHeader(std::string_view file)
{
    if (!file.starts_with(kMagic) || file.size() < 10)
        return tl::unexpected<std::string>("it does not begin like a .npy file");
    const auto byteAt = [&](std::size_t i) {
        return std::size_t(static_cast<unsigned char>(file[i]));
    };
    const std::size_t version = byteAt(6);
    std::size_t headerBytes = byteAt(8) | byteAt(9) << 8;
    std::size_t start = 10;
    if (version == 2) {
        if (file.size() < 12)
            return tl::unexpected<std::string>("it is cut short");
        headerBytes |= byteAt(10) << 16 | byteAt(11) << 24;
        start = 12;
    } else if (version != 1) {
        return tl::unexpected(fmt::format("format version {} is not known (1 and 2 are)", version));
    }
    if (headerBytes > file.size() - start)
        return tl::unexpected<std::string>("it is cut short");

    HeaderText text(file.substr(start, headerBytes));
    const tl::unexpected<std::string> broken("its header cannot be read");
    if (!text.accept("{"))
        return broken;
    std::optional<std::string_view> descr;
    std::optional<Shape> shape;
    std::string_view order;
    while (!text.accept("}")) {
        const auto name = text.quoted();
        if (!name || !text.accept(":"))
            return broken;
        if (*name == "descr")
            descr = text.quoted();
        else if (*name == "shape")
            shape = text.tuple();
        else if (*name == "fortran_order")
            order = text.accept("True") ? "fortran" : text.accept("False") ? "c" : "";
        else
            return broken;
        text.accept(",");
        if (*name == "descr" && !descr)
            return tl::unexpected<std::string>("its element type is a structure");
        if ((*name == "shape" && !shape) || (*name == "fortran_order" && order.empty()))
            return broken;
    }
    if (!descr || !shape || order.empty())
        return broken;
    if (order == "fortran")
        return tl::unexpected<std::string>("it is in Fortran order; C order is expected");
    Header header;
    for (const ElementType &type : kTypes) {
        if (type.descr == *descr) {
            header.dtype = type.dtype;
            header.elementBytes = type.bytes;
        }
    }
    if (header.elementBytes == 0)
        return tl::unexpected(fmt::format(
            "its element type is \"{}\"; \"<f4\", \"<f8\" or \"<i4\" is expected", *descr));
    header.shape = std::move(*shape);
    header.dataOffset = start + headerBytes;
    return header;
}

/// Bytes of all elements; nothing when that does not fit 64 bits.
std::optional<std::size_t> dataBytes(const Shape &shape, std::size_t elementBytes)
{
    std::size_t bytes = elementBytes;
    for (const std::int64_t size : shape)
        if (__builtin_mul_overflow(bytes, std::size_t(size), &bytes))
            return std::nullopt;
    return bytes;
}

} // namespace

Result<NpyFile> NpyFile::open(const std::filesystem::path &path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail(ErrorCode::Environment,
                    fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
    struct stat status = {};
    NpyFile npy;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *map = ::mmap(nullptr, std::size_t(status.st_size), PROT_READ, MAP_SHARED, file, 0);
        if (map != MAP_FAILED) {
            npy.m_map = static_cast<const std::byte *>(map);
            npy.m_mapBytes = std::size_t(status.st_size);
        }
    }
    const int mapError = errno;
    ::close(file);
    if (!npy.m_map && status.st_size > 0)
        return fail(ErrorCode::Environment,
                    fmt::format("cannot map {}: {}", path.string(), std::strerror(mapError)));

    const auto problem = [&](const std::string &what) {
        return fail(ErrorCode::Format, fmt::format("{} cannot be used: {}", path.string(), what));
    };
    const auto header = parseHeader({reinterpret_cast<const char *>(npy.m_map), npy.m_mapBytes});
    if (!header)
        return problem(header.error());
    const auto needed = dataBytes(header->shape, header->elementBytes);
    const std::size_t present = npy.m_mapBytes - header->dataOffset;
    if (!needed || *needed > present)
        return problem("it is cut short");
    if (*needed < present)
        return problem(fmt::format("{} bytes follow its last element", present - *needed));
    npy.m_dtype = header->dtype;
    npy.m_shape = header->shape;
    npy.m_dataOffset = header->dataOffset;
    return npy;
}

NpyFile::NpyFile(NpyFile &&other) noexcept
    : m_map(std::exchange(other.m_map, nullptr)),
      m_mapBytes(std::exchange(other.m_mapBytes, 0)),
      m_dataOffset(std::exchange(other.m_dataOffset, 0)),
      m_dtype(std::move(other.m_dtype)),
      m_shape(std::exchange(other.m_shape, Shape{0}))
{}

NpyFile &NpyFile::operator=(NpyFile &&other) noexcept
{
    if (this != &other) {
        release();
        m_map = std::exchange(other.m_map, nullptr);
        m_mapBytes = std::exchange(other.m_mapBytes, 0);
        m_dataOffset = std::exchange(other.m_dataOffset, 0);
        m_dtype = std::move(other.m_dtype);
        m_shape = std::exchange(other.m_shape, Shape{0});
    }
    return *this;
}

NpyFile::~NpyFile()
{
    release();
}

void NpyFile::release()
{
    if (m_map)
        ::munmap(const_cast<std::byte *>(m_map), m_mapBytes);
    m_map = nullptr;
}

std::span<const std::byte> NpyFile::bytes() const
{
    return {m_map + m_dataOffset, m_mapBytes - m_dataOffset};
}

template <typename T> std::span<const T> NpyFile::values() const
{
    constexpr std::string_view kName = std::is_same_v<T, float>    ? "float32"
                                       : std::is_same_v<T, double> ? "float64"
                                                                   : "int32";
    // NumPy pads the header so that the elements are aligned to 64 bytes, but a file may come from
    // elsewhere.
    if (m_dtype != kName || m_dataOffset % alignof(T) != 0)
        return {};
    return {reinterpret_cast<const T *>(m_map + m_dataOffset), std::size_t(elements())};
}

template std::span<const float> NpyFile::values<float>() const;
template std::span<const double> NpyFile::values<double>() const;
template std::span<const std::int32_t> NpyFile::values<std::int32_t>() const;

std::size_t npyElementBytes(const DTypeName &dtype)
{
    for (const ElementType &type : kTypes)
        if (type.dtype == dtype)
            return type.bytes;
    return 0;
}

Result<void> writeNpy(const std::filesystem::path &path, const DTypeName &dtype, const Shape &shape,
                      std::span<const std::byte> data)
{
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const ElementType &known) { return known.dtype == dtype; });
    if (type == kTypes.end())
        return fail(ErrorCode::Internal, fmt::format("a .npy file of {} cannot be written", dtype));
    if (dataBytes(shape, type->bytes) != data.size())
        return fail(ErrorCode::Internal, fmt::format("{} bytes are not a {} tensor of shape ({})",
                                                     data.size(), dtype, fmt::join(shape, ", ")));
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type->descr,
                    fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    constexpr std::size_t kPrefix = 10;
    constexpr std::size_t kAlignment = 64;
    const std::size_t unpadded = kPrefix + header.size() + 1;
    header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
    header += '\n';

    std::string prefix(kMagic);
    prefix += '\1';
    prefix += '\0';
    prefix += char(header.size() & 0xff);
    prefix += char(header.size() >> 8);
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << prefix << header;
    stream.write(reinterpret_cast<const char *>(data.data()), std::streamsize(data.size()));
    stream.close();
    if (!stream)
        return fail(ErrorCode::Environment, fmt::format("cannot write {}", path.string()),
                    "check the folder's permissions and the free space");
    return {};
}

} // namespace accelopt::bench
