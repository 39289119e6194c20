/**
 * Words that people and names say for one another: a comment "retrieves" what a name "gets". Written down by hand; each
 * line is a group, and a word of it stands for every other.
 */
import { stem } from '../core/words.ts';

const GROUPS = `
get fetch return retrieve obtain find lookup look yield give read load
create make build new construct generate produce initialize init instantiate factory
remove delete drop erase unset discard pop strip
clear reset empty clean flush
check validate verify test ensure assert require determine
whether true false boolean bool is has can should contains
convert transform to as from cast turn coerce
parse read decode interpret load deserialize unmarshal
serialize dump encode marshal stringify format
string str text repr representation
all list items array sequence
number count len length size num total amount
add append push insert register put attach
set assign update change modify replace put
equal equals eq same identical compare equivalent
copy clone duplicate
start begin launch run open init
stop end finish close halt cancel abort terminate shutdown exit
run execute exec call invoke perform apply do
error err exception fail failure raise throw panic fault
argument arg args argv parameter param params option opt options
keyword kwarg kwargs
configuration config cfg conf settings setup
directory dir folder path
file filename path
message msg
request req
response res resp reply
context ctx
function func fn callback cb callable handler
value val
variable var env
environment env
attribute attr property prop field
element elem el item entry node
index idx position pos offset
iterate iter iterator iterable each loop walk traverse over visit
previous prev last
current cur active
maximum max largest
minimum min smallest
average mean avg
absolute abs
sum add total plus
subtract sub minus difference diff
multiply mul times product
divide div quotient
square sqrt root
random rand rng
temporary temp tmp
character char rune byte
integer int number numeric
dictionary dict map mapping object
tuple pair
column col
expression expr
statement stmt
regular regex regexp pattern
reference ref pointer ptr
source src origin
destination dst dest target
database db
information info
identifier id ident key name
authentication auth authorize login credentials
password pass pwd secret
connection conn connect socket
display show print render draw view write output
write save store put persist dump
wait sleep block until delay pause
next advance following
first head front
sort order
filter select where keep
merge combine join concat union
split separate divide partition
intersect common
search find query match seek locate
send emit dispatch post publish fire trigger notify
receive recv accept
listen subscribe on handle handler
unsubscribe off
event evt
import module
normalize canonical
escape quote
trim strip trailing leading
increase increment inc
decrease decrement dec
enable activate on
disable deactivate off
allow permit can
lowercase lower
uppercase upper
wrap decorate
default fallback
specification spec
version ver
timestamp time date
concurrent parallel async asynchronous
lock mutex acquire
document doc
calculate compute calc
matrix mat
coordinate coord
infinite inf
unique distinct
nested deep recursive
label title caption
parent ancestor outer
child descendant inner
hidden private internal
warn deprecated
prefix start
suffix end extension ext
ignore skip omit exclude without
limit max
memoize cache
`;

const NONE: ReadonlySet<string> = new Set();
let table: Map<string, Set<string>> | undefined;

const read = (): Map<string, Set<string>> => {
  const meanings = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split('\n')) {
    const group = line.split(' ').map(stem);
    for (const word of group) {
      const others = meanings.get(word) ?? new Set();
      for (const other of group) if (other !== word) others.add(other);
      meanings.set(word, others);
    }
  }
  return meanings;
};

/** Stems that may stand where this stem is meant. */
export const sameMeaning = (word: string): ReadonlySet<string> => {
  table ??= read();
  return table.get(word) ?? NONE;
};
