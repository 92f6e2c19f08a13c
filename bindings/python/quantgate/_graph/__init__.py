"""A whole ONNX model put to ONNX Runtime's QNN provider, and cut down to what fails:
`quantgate verify MODEL --graph [--reduce]`.

    command.py    arguments, and what is asked in which order
    worker.py     the process that asks the provider: it may crash
    asking.py     such processes, and answers that were given before
    cutting.py    models made of some ops of a model, and with smaller shapes
    reduction.py  the smallest one that still fails
    numerics.py   how far numbers are off, and how far they may be
    provider_log.py  what the provider's log says of each node
    result.py     what was predicted and what happened, as text and JSON
"""
