/** Mutated command lines: harmless ones and attacks, cut, joined, quoted, wrapped and bent in every way that comes to mind. */
import { generator } from '../../bench/fuzz/part.ts';

/** Programs that only read, as a person would allow them; none of these rules lets a file be written. */
export const FUZZ_RULES: readonly string[] = (
  'git status *|git log *|git diff *|git show *|git grep *|git branch --list *|git cat-file *|git ls-files *|git blame *|ls *|cat *|head *|tail *|wc *|rg *|grep *|find *|sed -n *|sed *|' +
  'sort *|uniq *|cut *|tr *|awk *|xxd *|od *|echo *|printf *|env *|xargs *|ssh *|read *|hash *|test *|[ *|true|cd *|nice *|timeout *|time *|diff *|file *|date *|stat *|du *|tree *|jq *|less *|' +
  'command *|bash *|sh *|python3 *|tar *|man *|which *|type *|curl *|export *|set *|if *|for *|let *|base64 *|seq *|comm *|paste *|nl *|split'
).split('|');

const HARMLESS: readonly string[] = [
  'git status',
  'git status --porcelain -b',
  'git log --oneline -3',
  'git diff HEAD a.txt',
  'git show HEAD:a.txt',
  'git grep -n two',
  'git --no-pager log -1',
  'ls -la src',
  'ls *.txt',
  'cat a.txt src/b.txt',
  'head -n 2 a.txt',
  'wc -l a.txt',
  "rg -n 'a;b && c|d' src",
  'grep -rn "two words" src',
  'find . -name a.txt',
  'find src -type f -name "*.txt" -print',
  "sed -n '1,2p' a.txt",
  "sed 's/one/two/g' a.txt",
  'sort -u a.txt',
  'sort -k 2 big',
  'uniq -c a.txt',
  "cut -d ' ' -f 1 a.txt",
  "awk '{print $1}' a.txt",
  'xxd a.txt',
  'echo "a;b" \'c&&d\' e\\;f',
  "printf '%s\\n' one two",
  '[ -f a.txt ] && cat a.txt',
  'cd src && ls',
  'timeout 1 ls',
  'nice -n 5 wc -l a.txt',
  'cat a.txt | sort | uniq -c | head -n 3',
  'if [ -f a.txt ]; then cat a.txt; fi',
  'for f in a.txt src/b.txt; do echo "$f"; done',
  'echo "$(git status)"',
  'cat <<EOF\ntext\nEOF',
  "cat <<'EOF'\n$(touch CANARY)\nEOF",
  'cat < a.txt 2>/dev/null',
  'ls # touch CANARY',
  '(git status; ls)',
  '{ ls; cat a.txt; }',
  'LANG=C ls',
  'date +%s',
  'diff a.txt src/b.txt',
  'jq . a.txt',
];

const PAYLOADS: readonly string[] = [
  'touch CANARY',
  './p.sh',
  'tee CANARY',
  'cp a.txt CANARY',
  'echo x >CANARY',
  '>CANARY',
  'sh p.sh',
  '. ./p.sh',
  'mkdir CANARY',
];
const OPTIONS: readonly string[] = (
  '--output=CANARY|-o CANARY|-oCANARY|--outp=CANARY|--outpu CANARY|-O./p.sh|--open-files-in-pager=./p.sh|--open=./p.sh|--ext-diff|--textconv|-exec touch CANARY ;|-exec ./p.sh {} \\;|-execdir touch CANARY \\;|' +
  '-ok touch CANARY \\;|-delete|-fprint CANARY|-fls CANARY|-fprintf CANARY x|--pre ./p.sh|--pre=./p.sh|--hostname-bin=./p.sh|--hostname-bin ./p.sh|--compress-program=./p.sh -S 1k|--compress-prog ./p.sh -S 1k|--com=./p.sh|' +
  '-i|-i.bak|-n -i|-ni|--in-place|-e \'1e touch CANARY\'|-e \'w CANARY\'|1e./p.sh|s/o/touch CANARY/e|s/one/x/w CANARY|-f p.sh|BEGIN{system("touch CANARY")}|{print > "CANARY"}|{print | "tee CANARY"}|' +
  "-v 'a[$(touch CANARY)]' x|-v x y|-c core.fsmonitor=./p.sh|-c core.pager=./p.sh|-p|--paginate|-C src|--exec-path=.|-o ProxyCommand='touch CANARY' x|--checkpoint=1 --checkpoint-action=exec=./p.sh|-I ./p.sh|" +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own syntax
  '-c \'touch CANARY\'|-cf CANARY a.txt|--to-command=./p.sh|-P ./p.sh|CANARY|a.txt CANARY|-r a.txt CANARY|-T .|--files0-from=a.txt|--|-|-1|--help|*|?.txt|$HOME|$(./p.sh)|`./p.sh`|"$(./p.sh)"|${x:=$(./p.sh)}|$((a[$(./p.sh)]))|<(./p.sh)|' +
  ">(./p.sh)|>CANARY|>>CANARY|>|CANARY|&>CANARY|2>CANARY|<>CANARY|>&CANARY|<<<$(./p.sh)|$'\\x3b'|$[a[$(./p.sh)]]|{a,b}|!(x)|@(a|b)|[a-z]*|~|\\\n"
).split('|');
const BEFORE: readonly string[] = (
  'env |PATH=.:$PATH |PATH=. |GIT_EXTERNAL_DIFF=./p.sh |GIT_PAGER=./p.sh |RIPGREP_CONFIG_PATH=rc |BASH_ENV=p.sh |LD_PRELOAD=./p.sh |PAGER=./p.sh |x=1 |x[$(./p.sh)]=1 |x+=1 |command |builtin |exec |eval |nohup |' +
  'time |nice |timeout 1 |xargs |sudo |busybox |! |coproc |function f { |f() { |alias ls=./p.sh; |hash -p ./p.sh ls; |set -x; |cd .; |trap ./p.sh EXIT; |shopt -s expand_aliases; |>CANARY |<a.txt |2>&1 |if |while |until |for x in |' +
  'case x in x) |(|{ |((|[[ |$(|`|"|\'|\\|stdbuf -oL |setsid |ionice |find . -exec |. |source |read x; |export PATH=.; |declare x=|let x=|printf -v PATH .; |unset '
).split('|');
const JOINTS: readonly string[] = [
  ';',
  ' ; ',
  '&&',
  '||',
  '|',
  '|&',
  '&',
  '\n',
  ' & ',
  ';;',
  '\r',
  '\t',
  ' \\\n',
  '\u00a0',
  '\u200b',
  '#',
  ' #\n',
  ')',
  '}',
  ' do ',
  ' then ',
];
const CHARACTERS = ' \t\n;|&<>()$`\\"\'*?[]#~=%!{}+-_.,:/@^09azAZ\u0000\u0007\u001b\u00a0\u200b\u202eé';

export const mutants = (seed: number, count: number, extra: readonly string[] = []): string[] => {
  const random = generator(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const seeds = [...HARMLESS, ...HARMLESS, ...extra];
  const insert = (line: string, text: string): string => {
    const at = below(line.length + 1);
    return line.slice(0, at) + text + line.slice(at);
  };
  const insertWord = (line: string, text: string): string => {
    const blanks = [...line.matchAll(/ |$/g)].map(({ index }) => index);
    const at = pick(blanks);
    return `${line.slice(0, at)} ${text}${line.slice(at)}`;
  };
  const MUTATIONS: readonly ((line: string) => string)[] = [
    (line) => line + pick(JOINTS) + pick(PAYLOADS),
    (line) => pick(PAYLOADS) + pick(JOINTS) + line,
    (line) => line + pick(JOINTS) + pick(seeds),
    (line) => insertWord(line, pick(OPTIONS)),
    (line) => insertWord(line, pick(OPTIONS)),
    (line) => pick(BEFORE) + line,
    (line) => insert(line, pick([...CHARACTERS])),
    (line) => insert(line, pick(JOINTS) + pick(PAYLOADS) + pick(JOINTS)),
    (line) => insert(line, `$(${pick(PAYLOADS)})`),
    (line) => insert(line, `\`${pick(PAYLOADS)}\``),
    (line) => {
      const at = below(line.length);
      return line.slice(0, at) + line.slice(at + 1 + below(3));
    },
    (line) => {
      const at = below(line.length);
      return insert(line, line.slice(at, at + 1 + below(6)));
    },
    (line) => insert(line, pick(["''", '""', '\\', "'", '"', '$', '\\\n'])),
    (line) => {
      const other = pick(seeds);
      return line.slice(0, below(line.length + 1)) + other.slice(below(other.length + 1));
    },
    (line) =>
      line.replace(/\S+/, (word) =>
        pick([`'${word}'`, `"${word}"`, `\\${word}`, `./${word}`, `$'${word}'`, `$"${word}"`]),
      ),
    (line) => insertWord(line, pick(['-l', '-n', '-a', '-c', '-v', '--color=never', 'a.txt', 'src', '.', "'x y'"])),
  ];
  return Array.from({ length: count }, () => {
    let line = pick(seeds);
    for (let step = 1 + below(3); step > 0; step -= 1) line = pick(MUTATIONS)(line);
    return line.replaceAll('\0', '');
  });
};
