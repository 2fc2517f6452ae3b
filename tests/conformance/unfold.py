"""A session of the real client, step by step: of which files its request has the text after each.

A driver that can be asked so has `Session(clients, case, ask)`, a context manager, with `hello()` and a method for each word of a step,
such as `read(path)`, `shell(command)`, `mention(path)`, `compact()` and `resume()`: each does that and returns the request which follows.
"""
import json, os


def steps(session, case, ask):
    """The body of @unfolded."""
    texts = {s.header.split(" ")[0]: s.body for s in case.sections if s.header.startswith("/") and s.header.split(" ")[0].endswith(".md")}
    new = {f"{s.header.split(' ')[1]} (new)": s.body for s in case.all("@then")}
    lines, request = [], session.hello()
    if request is None:
        return "refused\n"
    lines.append(("start", request))
    for step in ask.steps:
        word, _, path = step.partition(":")
        if word == "change":
            with open(path, "w") as f:
                f.write(new[f"{path} (new)"])
        elif word == "delete":
            os.unlink(path)
        else:
            lines.append((f"{word} {path}".rstrip(), getattr(session, word)(*[path] * bool(path))))
    if os.environ.get("UNFOLD_RAW"):
        os.write(2, json.dumps([lines[-1]], indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return "".join(f"{step}: {' '.join(sent({**texts, **new}, request))}".rstrip() + "\n" for step, request in lines)


def sent(texts, request):
    """The files whose text is in a request, each as often as it is there."""
    request = request if isinstance(request, str) else json.dumps(request, ensure_ascii=False)
    found = []
    for path, body in sorted(texts.items()):
        # A head is not sent.
        body = body.split("---\n", 2)[2] if body.startswith("---\n") else body
        count = request.count(json.dumps(body.strip(), ensure_ascii=False)[1:-1]) if body.strip() else 0
        found += [path + (f" x{count}" if count > 1 else "")] * (count > 0)
    return found


def as_read(ask, path):
    return os.path.join(os.path.realpath(ask.cwd), path)
