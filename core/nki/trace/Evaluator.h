// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nki/trace/Emitter.h"
#include "core/nki/trace/Frame.h"
#include "core/nki/trace/FunctionTable.h"
#include "core/nki/trace/IndexPlan.h"
#include "core/nki/trace/Tracer.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace accelopt::nki {

/// Evaluates the Python of one kernel and issues its instructions.
class Evaluator
{
public:
    Evaluator(const SyntaxTree &tree, const TraceRequest &request);
    /// Empties the containers that hold others: values are counted references, and a list within
    /// itself would never be freed.
    ~Evaluator();

    /// Runs the module, then the entry point. Throws TraceStop.
    Program run();

    // What the functions of the table use.

    /// Ends the trace; the place is that of `node`, or of the statement under evaluation when node
    /// is -1.
    [[noreturn]] void stop(VerdictStatus status, std::string rule, std::string message,
                           std::string hint = {}, NodeId node = -1) const;
    [[noreturn]] void notCompiling(std::string rule, std::string message, std::string hint = {},
                                   NodeId node = -1) const
    {
        stop(VerdictStatus::NotCompiling, std::move(rule), std::move(message), std::move(hint),
             node);
    }
    [[noreturn]] void unsupported(std::string what, NodeId node = -1) const;

    Emitter &emitter() { return m_emitter; }
    Program &program() { return m_emitter.program(); }
    const SyntaxTree &tree() const { return m_tree; }
    const TraceRequest &request() const { return m_request; }
    /// Place of the call being carried out.
    const SourcePlace &place() const { return m_tree[m_node].place; }
    NodeId node() const { return m_node; }

    /// Issues an instruction at the current place.
    InstructionId emit(const Draft &draft)
    {
        m_steps += kInstructionSteps + (draft.mask != nullptr ? kMaskSteps : 0);
        if (m_frame == m_module)
            refuseOutsideKernel();
        return m_emitter.emit(draft, place());
    }
    /// Instructions and tensors belong into a kernel, not among the file's own statements.
    void checkInsideKernel() const
    {
        if (m_frame == m_module)
            refuseOutsideKernel();
    }
    /// Whether the parameter of this number is annotated as one that the kernel may store to.
    bool isMutable(std::int32_t parameter) const;
    /// Counts work or memory that a single step does not stand for as steps: one for each item
    /// copied or compared, one for each 32 bytes kept. So the limit on steps also bounds the time
    /// and the memory of what kernels do in one go.
    void charge(std::size_t steps, NodeId node = -1);
    /// What it costs to look a key up: keys are compared one after the other.
    void chargeLookUp(const DictObject &dict, const Value &key);
    /// The value as text, charged by its length.
    std::string textOf(const Value &value, bool quoteStrings = false);
    /// A tile for a result, as a value that an assignment may still redirect.
    TensorObject *newTile(Memory memory, DType dtype, std::vector<std::int64_t> shape);
    /// Wraps the result of the instruction just issued.
    Value freshValue(TensorObject *tile, InstructionId producer, const Value &mask) const;

    // Python's operations, also used by functions of the table.
    Value binary(const std::string &op, const Value &left, const Value &right, NodeId node);
    Value compare(const std::string &op, const Value &left, const Value &right, NodeId node);
    bool truth(const Value &value, NodeId node) const;
    /// Items of a tuple, list, range (Python's) or string.
    std::vector<Value> iterate(const Value &value, NodeId node);
    Value attribute(const Value &object, const std::string &name, NodeId node);
    Value subscript(const Value &object, const std::vector<Value> &indices, NodeId node);
    Value subscriptTensor(const TensorObject &view, const std::vector<Value> &indices, NodeId node);
    /// A tile as an index: of a free dimension, or of another.
    [[noreturn]] void refuseIndirect(const TensorObject &view, bool isFree, NodeId node);
    Value call(const Value &function, std::vector<Value> positional,
               std::vector<std::pair<std::string, Value>> keywords, NodeId node);
    Value callMethod(BoundMethodObject &method, std::vector<Value> positional,
                     std::vector<std::pair<std::string, Value>> keywords, NodeId node);

    /// The innermost launch whose programs are being traced; null outside.
    Launch *launch() { return m_launch; }
    /// A group of named values, such as nl.finfo(dtype).
    Value group(const std::vector<std::pair<std::string, Value>> &members) const;

    /// Whether a PSUM tensor was made for a result, not declared by the kernel.
    bool isImplied(const TensorObject &view) const;
    void setDeclared(const TensorObject &view);

    /// What is known about tiles that hold an identity matrix.
    std::unordered_map<StorageId, bool> &identities() { return m_identities; }

    /// To be told when an item is put into a list or dict that exists already: only so can one
    /// come to hold itself.
    void holds(const Value &container, const Value &item);

    /// Refuses to make a list longer or shorter once for each pass of a loop that NKI traces once.
    void checkResize(const SequenceObject &list, NodeId node);

    /// Elementwise operation of two values of which at least one is a tile; writes to `destination`
    /// if given.
    Value elementwise(AluOp op, const Value &left, const Value &right, const Value &mask,
                      std::optional<DType> dtype, const TensorObject *destination = nullptr);

private:
    enum class Flow { Next, Break, Continue, Return };

    // Statements (Statements.cpp)
    Flow execute(NodeId statement);
    Flow executeBlock(NodeId block);
    Flow executeFor(NodeId statement);
    Flow executeIf(NodeId statement);
    Flow executeWhile(NodeId statement);
    void executeImport(NodeId statement);
    void assign(NodeId target, const Value &value);
    void assignSubscript(NodeId target, const Value &value);
    void augmentedAssign(NodeId statement);
    void bind(NodeId name, const Value &value);
    Flow executeWith(NodeId statement);
    /// Holds a tensor against `nt.tensor[sizes]`.
    void checkAnnotation(NodeId annotation, const TensorObject &tensor);
    /// The innermost pass of a loop that NKI traces once.
    std::int32_t tracedPass();
    bool boundInThisPass(NodeId name);
    void beginPass();
    void endPass();
    /// Ends the scope of a condition on a loop index; the pass around it goes on.
    void endCondition();
    /// Whether the name was bound in a loop pass that is over.
    bool isPassOver(int slot) const { return m_frame->boundIn[std::size_t(slot)] < 0; }
    /// Refuses what NKI, which traces a loop once, would not see as the passes do here.
    void checkPass(std::int32_t boundIn, const Value &value, NodeId name);
    /// Whether a loop that NKI traces once is in a later than its first pass since `made`.
    bool isLaterPass(std::int32_t made);
    /// A container that was made in pass `made` is about to change from `before` to `after`.
    void checkChange(std::int32_t made, const Value &before, const Value &after, NodeId node);
    void store(TensorObject &destination, const Value &value, NodeId node);

    // Expressions (Expressions.cpp)
    Value evaluate(NodeId expression);
    Value evaluateUncached(NodeId expression);
    Value evaluateName(NodeId expression);
    Value evaluateCall(NodeId expression);
    Value evaluateSubscript(NodeId expression);
    Value evaluateCompare(NodeId expression);
    Value evaluateBool(NodeId expression);
    Value evaluateUnary(NodeId expression);
    Value evaluateComprehension(NodeId expression);
    Value evaluateJoinedString(NodeId expression);
    Value literal(const Node &node, NodeId id) const;
    std::vector<Value> indices(NodeId index);
    void comprehend(NodeId expression, std::size_t clause, std::size_t elements,
                    const std::function<void()> &collect);

    // Regions of tensors by plans (IndexPlan.cpp)
    struct LinearForm;
    /// The region that a Subscript node selects of a tensor.
    Value region(NodeId subscript, const TensorObject &view);
    TensorObject *followPlan(const IndexPlan &plan, const TensorObject &view);
    bool sumOf(const IndexPlan &plan, const IndexPlan::Form &form, std::int64_t &sum);
    bool makePlan(NodeId subscript, const TensorObject &view, const std::vector<Value> &given,
                  const TensorObject &result, IndexPlan &plan);
    bool makeForm(NodeId expression, IndexPlan &plan, IndexPlan::Form &form);
    bool linearForm(NodeId expression, IndexPlan &plan, LinearForm &out);
    bool fixTerms(LinearForm &form, IndexPlan &plan);
    int slotOf(NodeId name);

    // Calls (Calls.cpp)
    const CallPlan *planCall(NodeId call, const Value &function);
    Value followCall(const CallPlan &plan, NodeId node);
    Value callTable(const FunctionSpec &spec, std::vector<Value> positional,
                    std::vector<std::pair<std::string, Value>> keywords, NodeId node);
    Value callUser(UserFunctionObject &function, std::vector<Value> positional,
                   std::vector<std::pair<std::string, Value>> keywords, NodeId node);
    Value makeFunction(NodeId definition);
    Value callLaunch(LaunchObject &launch, const std::vector<Value> &positional,
                     const std::vector<std::pair<std::string, Value>> &keywords, NodeId node);
    Value launchOn(const Value &function, const std::vector<Value> &grid, NodeId node);
    const Names &namesOf(NodeId function);
    void collectNames(NodeId node, Names &names) const;

    // Classes of the kernel file (Classes.cpp)
    Value makeClass(NodeId definition);
    Value callClass(const Value &type, std::vector<Value> positional,
                    std::vector<std::pair<std::string, Value>> keywords, NodeId node);
    Value instanceAttribute(const Value &object, const std::string &name, NodeId node);
    Value classAttribute(const Value &type, const std::string &name, NodeId node);
    bool isDecorated(const Value &function, std::string_view decorator) const;

    // Modules (Modules.cpp)
    void executeModuleStatement(NodeId statement);
    Value importedName(const std::string &module, const std::string &name, NodeId node);
    Value moduleAttribute(const std::string &path, const std::string &name, NodeId node);
    Value tensorAttribute(const Value &object, const std::string &name, NodeId node);

    // Invariant expressions: evaluated once (Invariants.cpp)
    void findInvariants();
    bool markInvariant(NodeId node, const std::unordered_map<std::string, bool> &imported);

    [[noreturn]] void refuseOutsideKernel() const;
    void step(NodeId node);
    Value parameterValue(std::size_t index);
    void finish(const Value &result);

    const SyntaxTree &m_tree;
    const TraceRequest &m_request;
    Emitter m_emitter;
    NodeId m_node = 0;
    static constexpr std::int64_t kInstructionSteps = 12;
    static constexpr std::int64_t kMaskSteps = 16;
    std::int64_t m_steps = 0;
    int m_depth = 0;
    Frame *m_frame = nullptr;
    Frame *m_module = nullptr;
    std::deque<std::unique_ptr<Frame>> m_frames; ///< kept for closures
    std::unordered_map<NodeId, Names> m_names;
    std::vector<std::int8_t> m_invariant; ///< per node: 1 = may be kept after the first evaluation
    std::vector<Value> m_kept;
    std::vector<int> m_slot; ///< per Name node: its slot + 1 in the frame it was last seen in
    std::vector<const Names *> m_slotOwner;
    std::vector<std::unique_ptr<IndexPlanState>> m_plans; ///< per Subscript node
    std::vector<std::unique_ptr<CallPlan>> m_calls;       ///< per Call node
    std::vector<std::vector<Value>> m_spareArguments;     ///< empty ones, kept for their memory
    Value m_returned;
    std::vector<bool> m_mutable;  ///< by parameter: annotated nt.mutable_tensor
    std::vector<Value> m_holders; ///< lists and dicts that were given other containers
    Launch *m_launch = nullptr;
    std::vector<bool> m_implied; ///< per tensor
    std::unordered_map<StorageId, bool> m_identities;
};

} // namespace accelopt::nki
