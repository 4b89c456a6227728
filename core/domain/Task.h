// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace accelopt {

/// Element type of a tensor, by NKI's names ("float32", "bfloat16", "int32", ...).
using DTypeName = std::string;
using Shape = std::vector<std::int64_t>;

/// Elements of a tensor of this shape.
std::int64_t elementCount(const Shape &shape);

/// How an input is drawn: N(0, deviation), its absolute value, or a fixed scalar.
enum class Draw { Normal, AbsoluteNormal, Constant };

/// One argument of the reference, at one named shape.
struct TaskArgument
{
    std::string name;
    bool scalar = false; ///< a Python number, not a tensor
    Shape shape;
    DTypeName dtype = "float32";
    Draw draw = Draw::Normal;
    double parameter = 1; ///< deviation, or the constant
};

/// One result of the reference, at one named shape.
struct TaskResult
{
    std::string name;
    Shape shape;
    DTypeName dtype = "float32";
    /// Place of the argument that the result is a small change of; then the change is what is
    /// judged, not the sum. -1: none.
    int updateOf = -1;
};

/// How a kernel may take its arguments and give its results: pure reshapes of the reference's own
/// tensors. The first layout of a task is the reference's.
struct TaskLayout
{
    std::string name;
    std::vector<Shape> arguments; ///< per argument; empty for scalars
    std::vector<Shape> results;
};

/// One change to a drawn input: the elements of `box` become factor * element + offset, then are
/// rounded.
struct InputEdit
{
    std::size_t argument = 0; ///< place among the task's arguments
    /// Per axis the half-open range [first, second) that is changed.
    std::vector<std::pair<std::int64_t, std::int64_t>> box;
    std::vector<std::int64_t> steps; ///< per axis: only every so many-th index of the range
    double factor = 1;
    double offset = 0;
    /// The elements become multiples of this; 0 leaves them. Few digits make sums of products
    /// exact.
    double quantum = 0;
};

/// Inputs changed so that a kernel which is only right for plain random ones gives itself away.
struct InputSuite
{
    std::string name;
    std::string why; ///< which mistakes it shows, for people
    std::vector<InputEdit> edits;
};

/// What each result of the reference depends on, learnt by marking blocks of the inputs. An axis is
/// cut into equal blocks: block b of n covers [b * size / n, (b + 1) * size / n).
struct LearntDependence
{
    /// The blocks of one axis of a result that are wholly reached, by block of the argument's axis.
    struct Reach
    {
        std::size_t result = 0;
        std::size_t axis = 0;
        std::vector<std::vector<bool>> reached; ///< [block of the argument][block of the result]
    };
    struct Axis
    {
        std::size_t argument = 0;
        std::size_t axis = 0;
        std::int64_t blocks = 1;
        bool everywhere = false;    ///< every index reaches every element of every result
        std::vector<Reach> reaches; ///< empty when everywhere
    };
    std::vector<Axis> axes;
};

/// The least any kernel of the task must do.
struct MinimumWork
{
    double trafficBytes = 0;
    double matmulFlops = 0;
    double vectorFlops = 0;
};

/// What others measured, for overlays; never divided by our own figures.
struct PublishedFigure
{
    std::string device;
    double baselineMs = 0;
    std::string source;
};

/// An operator at a fixed shape: what a kernel must compute, how it is judged, and the least work
/// it is.
struct Task
{
    std::string name;
    std::string title;
    std::string description;
    std::string folder;    ///< absolute path of the task's folder
    std::string shapeName; ///< "published" or "lab"
    std::map<std::string, std::int64_t> dimensions;
    std::vector<TaskArgument> arguments;
    std::vector<TaskResult> results;
    std::vector<TaskLayout> layouts;
    std::vector<InputSuite> suites; ///< beside the plain drawn inputs, which are always judged
    double tolerance = 2e-5;        ///< relative L2 norm of the error
    /// Limit of one element's error against max(|reference|, RMS of its row); without it the noise
    /// of the single precision reference decides.
    std::optional<double> elementLimit;
    std::optional<LearntDependence> dependence; ///< nothing: not learnt, or not for this reference
    std::string swallowsNan; ///< why the reference lets a NaN vanish; empty: it does not
    DTypeName matmulDtype = "float32";
    std::optional<MinimumWork> minimumWork;
    std::vector<PublishedFigure> published;
    std::string referencePath; ///< Python file with reference(...)
    DTypeName referenceCompute =
        "float64";            ///< in which the reference is worked out; float32 for huge ones
    std::string baselinePath; ///< NKI kernel the search starts from
    std::string entryPoint;   ///< name of the kernel's function; empty: the only jitted one
    std::string hash;         ///< of task.json and the reference's text
    bool trusted = true; ///< false: the reference may not be run before a person has confirmed it
};

} // namespace accelopt
