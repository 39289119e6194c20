/** What a call would be done with, as far as its sentence and its change do not say it. */
import type { CallView } from '../state/view.ts';
import { AskedText } from './asked-text.tsx';
import { IN_CHANGE, sentenceOf, shownArguments } from './question.ts';

type AskedCall = Pick<CallView, 'name' | 'arguments' | 'preview' | 'written'>;

/** Every argument once: what the change above holds is not said again, and one text alone needs no name. */
export const AskedArguments = ({ call, isFolded }: { call: AskedCall; isFolded: boolean }) => {
  const shown = shownArguments(call).filter(
    ({ text }) => !(call.preview && (text.endsWith(IN_CHANGE) || sentenceOf(call).includes(text))),
  );
  const [only] = shown;
  if (only === undefined) return null;
  if (shown.length === 1 && !call.preview) {
    return (
      <pre className="mono mono-wrap my-1 rounded bg-sunken px-2 py-1" data-argument={only.name}>
        <AskedText text={only.text} isFolded={isFolded} />
      </pre>
    );
  }
  return (
    <dl className="my-1 grid grid-cols-[auto_1fr] gap-x-3 text-sm">
      {shown.map(({ name, text }) => (
        <Fact key={name} name={name}>
          <span className="mono mono-wrap block" data-argument={name}>
            <AskedText text={text} isFolded={isFolded} />
          </span>
        </Fact>
      ))}
    </dl>
  );
};

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
);
