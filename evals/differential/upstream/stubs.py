"""Lets parsers of text be imported without the inference engine around them.

A parser imports names it never uses for parsing: tensors, grammar compilers, tokenizers. Where a module is not
installed and stands on the list given to `install`, an empty stand-in takes its place. A stand-in computes nothing: a
parser that really needed one would raise, and the case would be counted as failed, not guessed.
"""

import importlib.abc
import importlib.machinery
import sys
import types


class _StandInMeta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __getitem__(cls, _item):
        return StandIn

    def __or__(cls, _other):
        return StandIn

    __ror__ = __or__


class StandIn(metaclass=_StandInMeta):
    """Stands for a class, a function or a type in annotations."""

    def __init__(self, *_args, **_options):
        pass

    def __class_getitem__(cls, _item):
        return cls

    @classmethod
    def __get_pydantic_core_schema__(cls, _source, _handler):
        # A field of a type that is not there may hold anything.
        return {"type": "any"}

    def __call__(self, *args, **_options):
        # As a decorator it leaves what it decorates alone.
        return args[0] if len(args) == 1 and callable(args[0]) else StandIn()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()


class _StandInModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        return "0.0.0" if name == "__version__" else StandIn


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, fullname, _path=None, _target=None):
        if any(fullname == name or fullname.startswith(name + ".") for name in self.names):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        module = _StandInModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def install(names):
    """Stand-ins for these modules and all below them; real ones are hidden, so that every machine does the same."""
    sys.meta_path.insert(0, _Finder(tuple(names)))


def provide(name, **attributes):
    """A stand-in module with something real in it."""
    module = _StandInModule(name)
    module.__path__ = []
    module.__dict__.update(attributes)
    sys.modules[name] = module


def skip_init(root, packages):
    """Packages whose `__init__` starts the whole engine: their folders are found, their own code is not run."""
    for name in packages:
        module = types.ModuleType(name)
        module.__path__ = [root + "/" + name.replace(".", "/")]
        sys.modules[name] = module
        parent, _, leaf = name.rpartition(".")
        if parent in sys.modules:
            setattr(sys.modules[parent], leaf, module)
