/** What code of a language is called when it is downloaded. Pure. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh',
  'c++': 'cpp',
  csharp: 'cs',
  console: 'sh',
  docker: 'Dockerfile',
  dockerfile: 'Dockerfile',
  golang: 'go',
  javascript: 'js',
  kotlin: 'kt',
  make: 'Makefile',
  makefile: 'Makefile',
  markdown: 'md',
  mermaid: 'mmd',
  patch: 'diff',
  perl: 'pl',
  plaintext: 'txt',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  text: 'txt',
  typescript: 'ts',
  yaml: 'yml',
  zsh: 'sh',
};

/** An ending that a language has is its name; a word that could be anything else is not trusted with a file's name. */
export const fileName = (language: string): string => {
  const name = language.toLowerCase();
  const ending = Object.hasOwn(ENDINGS, name) ? (ENDINGS[name] as string) : name;
  if (/^[A-Z]/.test(ending)) return ending;
  return `code.${/^[a-z0-9]{1,10}$/.test(ending) ? ending : 'txt'}`;
};
