/** What the person said once and like nothing else is the last thing to go: before it go thanks, orders that were done and results. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { everyNth, timeLimit } from '../../../../tests/support/long.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import type { ModelRequest } from '../../../core/model-port.ts';

const WINDOW = 4_096;
const FACTS: Readonly<Record<string, readonly string[]>> = {
  'a boat club': [
    'I am writing the booking page of our boat club; its chairman is called Ottokar.',
    'Boats are sorted by berth, not by length.',
    'Depths are in metres, fathoms do not exist.',
    'The logos lie in /srv/club/pennants.',
    'Buttons are large because we use it with wet gloves.',
    'There are 46 berths at the moment.',
    'It has to work on the old tablet in the harbour office.',
    'The colour of the header is #0B3D91.',
    'The season opens on 12 April, and it must be ready by then.',
    'Guests with dogs get berth 7, because of the neighbour.',
    'The label printer is a Zebra GK420d.',
    "I'd rather send letters than push messages.",
    'The radio link is slow, so pages stay below 90 kB.',
    'Use the word Liegeplatz instead of Stellplatz.',
    'Every boat has a field for its insurance number.',
    'Wind is shown in Beaufort, 0 to 12.',
    'My colleague Birgit does the Danish translation.',
    'The domain is bootsverein.example.',
    'Winter storage goes into a list of its own.',
    'Backups are made to the red drive in the cellar.',
    'Prices are always for one night.',
    'No maps from outside, and no counting of visitors.',
    'The page must be readable in bright sunlight as well.',
    'Our treasurer Gundula tests it with a screen reader.',
    'The archive of old bookings has the signature BV-1926.',
    'Member cards are printed on recycled cardboard.',
    'Cancelled bookings are marked with a small buoy.',
    'Round up to half hours, not to minutes.',
    'The cover photo shows the lighthouse of Falshöft.',
    'There are no advertisements, ever.',
    'Sailing dinghies come first in each list.',
    'The harbour master is my uncle, Willibald.',
    'The slipway is closed at low tide.',
    'The budget is 510 euros.',
  ],
  'ein Chor': [
    'Ich schreibe das Programmheft für unseren Chor; die Leiterin heißt Philippa.',
    'Stücke werden nach Epoche sortiert, nicht nach Titel.',
    'Längen stehen in Minuten, Takte zählen wir nicht.',
    'Die Noten liegen in /srv/chor/partituren.',
    'Die Schrift ist mindestens 14 Punkt, weil das Licht schlecht ist.',
    'Im Augenblick sind es 63 Mitglieder.',
    'Es muss auch auf dem alten Drucker im Pfarrhaus gehen.',
    'Die Farbe der Überschriften ist #5A2A27.',
    'Das Konzert ist am 21. Juni, bis dahin ist alles fertig.',
    'Lateinische Texte bekommen eine Übersetzung, der Gäste wegen.',
    'Das Papier kommt von der Mühle in Gmund.',
    'Lieber gefaltet als geheftet.',
    'Die Leitung in der Probe ist langsam, Bilder bleiben unter 150 kB.',
    'Schreib Zugabe statt Encore.',
    'Jedes Stück hat ein Feld für den Verlag.',
    'Die Lautstärke steht in italienischen Wörtern.',
    'Mein Bruder Anselm macht die polnische Fassung.',
    'Die Adresse ist kantorei.example.',
    'Geistliche Lieder kommen in ein eigenes Kapitel.',
    'Gesichert wird auf das grüne Laufwerk im Keller.',
    'Preise gelten immer für eine Person.',
    'Keine Werbung und keine Zählung von Besuchern.',
    'Man muss es auch im Halbdunkel lesen können.',
    'Unsere Kassenwartin Roswitha prüft die Zahlen.',
    'Das Archiv hat die Signatur CH-1911.',
    'Die Hefte werden auf 250 Stück gedruckt.',
    'Solostücke bekommen einen kleinen Stern.',
    'Runde auf ganze Minuten auf, nie ab.',
    'Der Umschlag zeigt das Portal von Güstrow.',
    'Frauenstimmen stehen zuerst in jeder Liste.',
    'Der Küster ist mein Onkel Korbinian.',
    'Die Orgel ist zwei Cent zu hoch gestimmt.',
    'Es gibt höchstens 320 Euro aus.',
  ],
};
const CHATTER = ['ok', 'hmm', 'go on', 'thanks', 'fine', 'good', 'next', 'weiter', 'danke'];
const FILES = ['README.md', 'src/ledger.py', 'src/report.py', 'tests/test_ledger.py', 'src/big.py'];

type Habit = (at: number, facts: readonly string[]) => readonly string[];
/** What a person says besides. */
const HABITS: Readonly<Record<string, Habit>> = {
  'reads files': (at) => [
    ...(at % 2 === 0 ? [`Read ${FILES[at % FILES.length]}`] : []),
    ...(at % 3 === 1 ? [`Search helper_${at}`] : []),
    ...(at % 4 === 3 ? [CHATTER[at % CHATTER.length] as string] : []),
    ...(at % 11 === 10 ? ['Read src/big.py', 'Read src/report.py', 'Read src/big.py'] : []),
  ],
  searches: (at) => [
    `Search ${['helper', 'value', 'ledger', 'test'][at % 4]}_${at}`,
    ...(at % 3 === 0 ? ['Read src/big.py', CHATTER[at % CHATTER.length] as string] : []),
  ],
  asks: (at, facts) => [
    ...(at % 3 === 2 ? [`What did I say about ${facts[at - 2]?.split(' ').at(-1)?.slice(0, -1)}?`] : []),
    ...(at % 2 === 1 ? ['Read src/report.py'] : ['Read src/big.py', 'And what is in its middle?']),
  ],
  'runs the tests': (at) => [
    ...(at % 2 === 0 ? [`Run wc -l ${FILES[at % FILES.length]}`, 'Read src/report.py'] : ['Run cat src/big.py', 'ok']),
  ],
};
const conversation = (facts: readonly string[], habit: Habit): string[] =>
  facts.flatMap((fact, at) => [fact, ...habit(at, facts)]);

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `def ${name}_${at}(value): return value * ${at} + offset_${at % 7}`).join(
    '\n',
  );

/** Behind what stands for earlier turns, and before the tools that are described with it. */
const lastMessage = ({ messages }: ModelRequest): string => {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.split('\n\n').findLast((part) => !part.startsWith('[Tools')) ?? '';
};

/** They are written of what was said before the message that is sent then. */
const isNotes = ({ messages }: ModelRequest): boolean =>
  JSON.stringify(messages.at(-1)).includes('Write notes for yourself');

const played = async (facts: readonly string[], habit: Habit) => {
  const folder = scratchFolder();
  putFiles(folder, {
    'README.md': lines('about', 1),
    'src/ledger.py': lines('ledger', 6),
    'src/report.py': lines('helper', 36),
    'tests/test_ledger.py': lines('test', 62),
    'src/big.py': lines('value', 850),
  });
  const { provider } = smallWindowServer({
    window: WINDOW,
    isTold: true,
    answer: (request) => {
      const last = request.messages.at(-1);
      if (last?.role === 'tool')
        return { text: `It has some lines as I see it; first: ${JSON.stringify(last.content).slice(0, 80)}` };
      const [path, pattern, command] = ['Read', 'Search', 'Run'].map(
        (verb) => new RegExp(`^${verb} (.+)$`, 'm').exec(lastMessage(request))?.[1],
      );
      if (path !== undefined) return { calls: [{ name: 'read_file', arguments: { path } }] };
      if (pattern !== undefined) return { calls: [{ name: 'grep_search', arguments: { pattern } }] };
      if (command !== undefined) return { calls: [{ name: 'bash', arguments: { command } }] };
      return { text: 'All right.' };
    },
  });
  const session = await openedSession(await assembled({ modelProvider: provider, mode: 'yolo', folder }));
  const seen: { request: ModelRequest; said: readonly string[] }[] = [];
  const all = conversation(facts, habit);
  for (const [at, message] of all.entries()) {
    const before = provider.requests.length;
    await say(session, message);
    const answered = provider.requests.slice(before).filter((request) => !isNotes(request));
    for (const request of answered) seen.push({ request, said: all.slice(0, at + 1) });
  }
  return { seen, session };
};

const CASES = Object.entries(FACTS).flatMap(([about, facts]) =>
  Object.entries(HABITS).map(([title, habit]) => [about, title, facts, habit] as const),
);

describe('in a window of 4,096 tokens', () => {
  it.each(everyNth(CASES, 7))(
    '%s, of one who %s: what was said once stays in every request',
    { timeout: timeLimit(120_000) },
    async (_about, _title, facts, habit) => {
      verifies('B7');
      const { seen } = await played(facts, habit);
      const missing = seen.flatMap(({ request, said }, at) => {
        const text = JSON.stringify(request.messages);
        const stated = said.filter((one) => facts.includes(one));
        const gone = stated.filter((one) => !text.includes(JSON.stringify(one).slice(1, -1)));
        return gone.length === 0
          ? []
          : [`request ${at}: ${gone.length} of ${stated.length} in ${text.length} characters, first: ${gone[0]}`];
      });
      expect(missing, `${missing.length} of ${seen.length} requests lack what was said`).toEqual([]);
    },
  );
});
