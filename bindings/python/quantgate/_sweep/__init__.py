"""Many models on many targets: `quantgate sweep` and quantgate.sweep().

inputs: what is checked. work: a chunk of it, with nothing of engines. engines: who runs chunks.
driver: all of them, through crashes. store: OUT and what lies there meanwhile. The rest reads the
tables: changes, summary, page.
"""
