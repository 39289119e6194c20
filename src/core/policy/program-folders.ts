/**
 * Folders that programs need to run: what lies there is not the person's own. A command may name them without a question, and
 * in the sandbox they are what it sees of the home folder. Keys that lie in them are secret all the same.
 */
import { withoutEnd } from '../without-end.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Of the system. A command in the sandbox has a /tmp, a /proc and a /dev of its own. */
export const SYSTEM_PROGRAMS: readonly string[] = words(
  '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix /snap /tmp /var/tmp /proc /dev /run/current-system /etc/alternatives /home/linuxbrew',
);

/** Of a home folder: toolchains, package managers and their caches, settings of git and of the tools of a project. */
export const HOME_PROGRAMS: readonly string[] = words(`
  .nvm .fnm .n .nodenv .nodebrew .volta .node-gyp .node-llama-cpp .npm .npm-global .npm-packages .yarn .pnpm-store .pnpm .bun .deno .corepack .electron .electron-gyp
  .pyenv .python .virtualenvs .venv .venvs .conda .mamba .micromamba miniconda3 miniforge3 mambaforge anaconda3 .rye .pdm .pipx 
  .cargo .rustup .sccache go .go .gvm .goenv .gradle .m2 .ivy2 .sbt .coursier .sdkman .jenv .jabba .java .kotlin .konan .android Android .dotnet .nuget
  .rbenv .rvm .gem .bundle .composer .phpenv .opam .ghcup .cabal .stack .elan .mix .hex .asdf .mise .rtx .proto .swiftly .swiftpm .juliaup .julia .luarocks .nimble .pub-cache .flutter .zig .terraform.d/plugin-cache
  .linuxbrew .nix-profile .nix-defexpr .local/state/nix .ccache .cache .texlive .fonts .fontconfig .local/bin .local/lib .local/include .local/pipx .local/opt .local/node .local/go
  .local/share/uv .local/share/pipx .local/share/pnpm .local/share/fnm .local/share/mise .local/share/rtx .local/share/nvm .local/share/npm .local/share/virtualenv .local/share/virtualenvs .local/share/hatch .local/share/pypoetry
  .local/share/cargo .local/share/rustup .local/share/go .local/share/gem .local/share/composer .local/share/fonts .local/share/man .local/share/mime .local/share/pkgconfig .local/share/aclocal .local/share/cmake .local/share/coursier .local/share/claude
  .gitconfig .gitignore .gitignore_global .gitattributes .gitmessage .config/git .config/pip .config/uv .config/npm .config/yarn .config/pnpm  .config/go .config/pypoetry .config/matplotlib .config/fontconfig .config/ccache .config/sccache .config/nextjs-nodejs .config/husky .config/mise .config/NuGet
  .editorconfig .prettierrc .eslintrc .eslintrc.json .tsconfig.json .clang-format .rustfmt.toml .config/rustfmt .gemrc .irbrc .Rprofile .R .matplotlib .keras .nltk_data .terminfo .inputrc .tool-versions .nvmrc .node-version .python-version .ruby-version
`);

/** Folders whose place the environment says. */
export const PROGRAM_VARIABLES: readonly string[] = words(`
  CARGO_HOME RUSTUP_HOME GOPATH GOROOT GOCACHE GOMODCACHE NVM_DIR FNM_DIR VOLTA_HOME N_PREFIX PNPM_HOME BUN_INSTALL DENO_INSTALL DENO_DIR PYENV_ROOT VIRTUAL_ENV CONDA_PREFIX
  CONDA_ROOT MAMBA_ROOT_PREFIX PIPX_HOME POETRY_HOME UV_CACHE_DIR UV_PYTHON_INSTALL_DIR RBENV_ROOT RVM_PATH GEM_HOME BUNDLE_PATH JAVA_HOME SDKMAN_DIR GRADLE_USER_HOME M2_HOME
  MAVEN_HOME ANDROID_HOME ANDROID_SDK_ROOT DOTNET_ROOT NUGET_PACKAGES ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR OPAMROOT GHCUP_INSTALL_BASE_PREFIX STACK_ROOT CCACHE_DIR SCCACHE_DIR
  PLAYWRIGHT_BROWSERS_PATH CYPRESS_CACHE_FOLDER PUPPETEER_CACHE_DIR HF_HOME TORCH_HOME XDG_CACHE_HOME COMPOSER_HOME FLUTTER_ROOT JULIA_DEPOT_PATH
`);

/** Where the programs of an entry of PATH lie with what they need: `~/x/1.2/bin` belongs to `~/x/1.2`. */
export const folderOfPrograms = (entry: string, home: string): string | undefined => {
  const folder = withoutEnd(entry, /\//);
  if (!folder.startsWith(`${home}/`)) return undefined;
  const above = /^(.*)\/(?:s?bin|condabin|shims)$/.exec(folder)?.[1];
  return above === undefined || above === home || above === `${home}/.local` ? folder : above;
};

/**
 * What a text names in or by the home folder, as paths: `~/x`, `$HOME/x`, `/home/me/x`. Behind a glob or a variable nothing is
 * known, so the folder before it counts.
 */
export const namedAtHome = (text: string, home: string): string[] => {
  const found = new Set<string>();
  for (const token of text.split(TOKEN_ENDS)) {
    const named = fullPath(token, home);
    if (named !== undefined && (named === home || named.startsWith(`${home}/`))) found.add(named);
  }
  return [...found];
};

/** A word as a whole path, where it says one by itself; without a slash at its end. */
export const fullPath = (word: string, home: string): string | undefined => {
  const spelled = word.replace(/^(?:\$HOME|\$\{HOME\}|~)(?=\/|$)/, home);
  return spelled.startsWith('/') ? withoutEnd(knownPart(spelled).replace(/\/+/g, '/'), /\//) || '/' : undefined;
};

/** Behind a glob or a variable nothing is known. */
export const knownPart = (path: string): string => {
  const cut = path.search(/[*?[$`\\{]/);
  return cut < 0 ? path : path.slice(0, path.lastIndexOf('/', cut) + 1);
};

/** What ends a name in a line; braces are a part of `${HOME}`. */
const TOKEN_ENDS = /[\s'"`();|&<>=,:@\]]+/;
export const tokensOf = (text: string): string[] => text.split(TOKEN_ENDS).filter((token) => token !== '');

/** True for what lies in a folder of programs. A home folder that lies in one of the system is no part of it. */
export const liesInPrograms = (path: string, home: string): boolean => {
  const isIn = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  return (
    SYSTEM_PROGRAMS.some((folder) => isIn(folder) && !home.startsWith(`${folder}/`)) ||
    HOME_PROGRAMS.some((way) => isIn(`${home}/${way}`))
  );
};
