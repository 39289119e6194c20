/**
 * Whether a command line names a place outside the workspace, by its text alone: what it reads there others may have
 * written. Rather a line too many than one too few; links are not followed here.
 */
import { possibleCommands } from '../../../core/policy/shell-words.ts';

export const readsOutside = (line: string): boolean => {
  // The shell takes these away before a program sees the word.
  const text = line.replaceAll(/["'\\]/g, '');
  if (!MAY_LEAVE.test(text)) return false;
  return (
    GOES_HOME.test(text) ||
    namesFolderElsewhere(text) ||
    text.split(BETWEEN).some(leaves) ||
    beginsBehindQuote(line) ||
    namesEverything(line)
  );
};

const MAY_LEAVE = /[/~$]|\.\.|\.\{|\b(?:cd|pushd)\b/;
/** What stands between two names; a sign of an option or of a setting too. */
const BETWEEN = /[\s=:<>(,;&|{@+]+/;
/**
 * The line as written: in the code of another language a quote begins a name whatever stands before it (`r'/etc/motd'`,
 * `["/srv/x"]`), and so does a bracket. A quote that ends a variable (`"$dir"/src`) begins none.
 */
const beginsBehindQuote = (line: string): boolean =>
  BELOW_ROOT.test(line) ||
  line
    .replaceAll(ENDS_VARIABLE, '$')
    .split(/[\s=:<>(,;&|{@+'"`]+|\[(?!\/\])/)
    .some((token) => token !== '..' && leaves(token)) ||
  /["']\.\.(?:\s|$)/.test(line);
const ENDS_VARIABLE = /\$(?:\w{1,80}|\{[^{}"]{0,80}\}|\([^()"]{0,80}\))"(?=\/)/g;
/** A name below the root that begins with a sign which stands between names otherwise: `/{etc,opt}/x`, `/@x`. */
const BELOW_ROOT = /(?:^|[\s=:'"<(,[])\/[[{@+=,:(<]/;
/** `cd`, which goes home, and `cd -`, which goes where the shell was before. */
const GOES_HOME = /(?:^|[;&|({\n])[ \t]*(?:cd|pushd)(?:[ \t]+-[A-Za-z]*)*[ \t]*(?:$|[;&|)}\n])/;

/** A folder of the run, and what holds nothing that anybody wrote. */
const OWN =
  /^\/(?:dev(?:\/(?:null|zero|full|tty|u?random|std(?:in|out|err)|fd(?:\/\d+)?))?|tmp(?:\/.*)?|(?:usr\/)?s?bin(?:\/.*)?)$/;

const leaves = (token: string): boolean => {
  // `-f/etc/motd`, `-C../x`, and the end of what the shell puts in.
  const name = token
    .replace(/^`/, '')
    .replace(/^-[A-Za-z]*(?=[/~.])/, '')
    .replace(/[)}`]{1,20}$/, '');
  if (name.startsWith('~')) return true;
  if (name.startsWith('/')) return name.length > 1 && !OWN.test(fromRoot(name));
  return goesUp(name);
};

const fromRoot = (name: string): string => {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
};

/** Above where it began. What a variable or a glob stands for is no folder that is surely there. */
const goesUp = (name: string): boolean => {
  let depth = 0;
  for (const part of name.split('/')) {
    if (part === '..' || UP_BY_GLOB.test(part)) depth -= 1;
    else if (part !== '' && part !== '.' && !UNKNOWN.test(part)) depth += 1;
    if (depth < 0) return true;
  }
  return false;
};
const UNKNOWN = /[$)}`]/;
/** `.?`, `.[.]`: older shells find `..` by them. */
const UP_BY_GLOB = /^\.(?:\?|\*|\[[^\]]*\])$/;

/** A variable, what is cut off it, and whether a name below it follows. */
const VARIABLE = /\$\{?(\w+)([%#]?)[^}\s]{0,40}?\}?(\/?)/g;
const namesFolderElsewhere = (text: string): boolean => {
  const set = namesSet(text);
  for (const [, name = '', cut = '', below = ''] of text.matchAll(VARIABLE)) {
    if (name === 'PWD' ? cut !== '' : isFolderElsewhere(name, below) && !set.has(name)) return true;
  }
  return MADE_WAY_UP.test(text);
};
const isFolderElsewhere = (name: string, below: string): boolean =>
  /^(?:HOME|OLDPWD|USERPROFILE)$/.test(name) ||
  (below !== '' && name !== 'TMPDIR' && /(?:HOME|ROOT|PATH|PREFIX|DIRS?|PROFILE)$/.test(name));
/** The names of which the line says itself what they are. */
const namesSet = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(SET)].map(([, assigned, listed]) => assigned ?? listed ?? ''));
const SET = /(?<=^|[\s;&|(])(\w+)=(?![$`])|\b(?:for|read)\s+(\w+)\b/g;
/** A folder above, worked out: `$(dirname $PWD)`, `.{.,}`. */
const MADE_WAY_UP =
  /\bdirname\s+(?:--\s+)?(?:\$\{?PWD\b|\$\(pwd|`pwd)|(?:^|[\s/=])(?:\.\{[.,]{0,20}\}|\{(?:[\w,]{0,20},)?\.\.[,}])/;

/** `find /`: the whole machine, where a stroke is no sign between fields. */
const namesEverything = (line: string): boolean =>
  possibleCommands(line).some((words) => words.includes('/') && !words.some((word) => TAKES_SIGN.test(word)));
const TAKES_SIGN = /^(?:tr|cut|awk|gawk|mawk|paste|column|sed|expr|bc|test|\[|\[\[|echo|printf|jq|sort|join|-d|-F|-t)$/;
