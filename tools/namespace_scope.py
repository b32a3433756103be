"""namespace_scope: finds mutable C++ variables with static storage by a simplified parser.

Statements are cut at `;` and at braces. A brace opened by `namespace` or `extern "C"` keeps namespace scope; any other
starts a body. In a body only `static` and `thread_local` variables count; so do those of class scope.
"""

import re
from collections.abc import Iterator

LITERALS = re.compile(
    r'R"(?P<mark>[^()\s\\]{0,16})\((?:.|\n)*?\)(?P=mark)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # not the separator of 1'000
    r"|//[^\n]*"
    r"|/\*(?:.|\n)*?\*/"
)

NO_VARIABLE = re.compile(
    r"^(\[\[[^]]*\]\]\s*)*(using|typedef|template|static_assert|friend|extern|concept|namespace|public|private|"
    r"protected|case|default|goto|return|co_return|co_await|co_yield|throw|delete|new|if|else|for|while|do|switch|"
    r"break|continue|TESS_[A-Z_]+)\b"
)
TYPE_ONLY = re.compile(r"^(\[\[[^]]*\]\]\s*)*(class|struct|union|enum)\b")
STORAGE = re.compile(r"\b(static|thread_local|inline|constinit)\b")
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
LAMBDA_START = re.compile(r"(^|[^\w\])>\s])\s*\[[^][]*\]$")
BODY_FOLLOWS = re.compile(
    r"\)\s*(const|noexcept|override|final|mutable|requires\b.*|->.*)*$|\b(else|do|try|const|noexcept|override)$"
)
IMMUTABLE = re.compile(r"\bconstexpr\b|\bconsteval\b")


def spaces(match: re.Match[str]) -> str:
    """As many blanks as the match has characters, lines kept."""
    return re.sub(r"[^\n]", " ", match[0])


def without_comments_and_strings(text: str) -> str:
    """The text with literals and comments blanked, at the same lines and columns; strings keep their quotes."""

    def blank(match: re.Match[str]) -> str:
        inside = spaces(match)
        return '"' + inside[1:-1] + '"' if match[0][0] in 'R"' else inside

    return LITERALS.sub(blank, text)


def is_constant(declarator: str) -> bool:
    """Whether the variable itself is constant: `T const x`, `const T x`, `T* const x`; not `T const* x`."""
    if IMMUTABLE.search(declarator):
        return True
    after_pointer = declarator.rsplit("*", 1)[-1]
    return re.search(r"\bconst\b", after_pointer) is not None or declarator.rstrip().endswith("&")


def variable_name(statement: str, *, only_static: bool) -> str | None:
    """The name of the mutable variable that a statement declares, or None."""
    statement = re.sub(r"^((public|private|protected)\s*:\s*)+", "", statement.strip())
    if not statement or NO_VARIABLE.match(statement):
        return None
    if only_static and not re.search(r"\bstatic\b|\bthread_local\b", statement):
        return None
    # The text before the value: `T x = v`, `T x{v}`.
    declarator = re.split(r"(?<![=!<>])=(?!=)|\{", statement, maxsplit=1)[0].strip()
    without_template = declarator
    while (inner := re.sub(r"<[^<>]*>", "", without_template)) != without_template:
        without_template = inner
    if "(" in re.sub(r"\b(alignas|decltype|__attribute__)\s*\(.*?\)+", "", without_template):
        return None  # a function, or a direct initialisation, which the house style does not use
    name = re.search(r"(\w+)\s*(\[[^]]*\]\s*)*$", without_template)
    words = STORAGE.sub("", without_template).split()
    if name is None or len(words) < 2 or TYPE_ONLY.match(without_template) and len(words) < 3:
        return None
    return None if is_constant(without_template) else name[1]


def mutable_variables(text: str) -> Iterator[tuple[int, str]]:
    """(line, name) of every mutable variable at namespace scope, or static in a class or function."""
    code = PREPROCESSOR.sub(spaces, without_comments_and_strings(text))
    scopes: list[str] = []  # "namespace", "body", or "value" for a braced initialiser
    start = 0
    for at, char in enumerate(code):
        if char not in "{};":
            continue
        statement = code[start:at]
        if char == "{":
            head = statement.strip()
            if "value" in scopes:
                scopes.append("value")
                continue
            if re.match(r"(inline\s+)?namespace\b|extern\s*\"", head):
                scopes.append("namespace")
            elif is_value(head):
                scopes.append("value")
                continue
            else:
                name = variable_name(head, only_static="body" in scopes) if "=" in head else None
                if name and "operator" not in head:  # a variable that holds a lambda
                    yield code.count("\n", 0, at - len(statement.lstrip())) + 1, name
                scopes.append("body")
            start = at + 1
        elif char == "}":
            closed = scopes.pop() if scopes else "namespace"
            if closed != "value":
                start = at + 1
        elif "value" not in scopes:
            name = variable_name(statement, only_static="body" in scopes)
            if name:
                yield code.count("\n", 0, at - len(statement.lstrip())) + 1, name
            start = at + 1


def is_value(head: str) -> bool:
    """Whether a brace after this starts an initialiser rather than a body."""
    if not head or TYPE_ONLY.match(head) or NO_VARIABLE.match(head):
        return False
    if LAMBDA_START.search(head):
        return False
    if re.search(r"[=,(]$", head):
        return True
    return re.search(r"[\w>\]]$", head) is not None and not BODY_FOLLOWS.search(head)
