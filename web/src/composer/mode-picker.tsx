/** How often the person is asked, and the way to change it. The words are those of every surface. */

import { MODE_WORDS, MODES, type Mode } from '../../../src/core/policy/modes.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { useSecondPress } from '../parts/use-second-press.ts';

/** Where less is asked than usual, it is seen. */
const COLOURS: Readonly<Record<Mode, string>> = {
  plan: 'text-blue',
  ask: '',
  edit: 'text-warn',
  auto: 'text-warn',
  yolo: 'text-bad',
};

/** Everything is allowed by a second word alone: in the list one slip of the pointer is enough. */
export const ModePicker = ({ mode, onChoose }: { mode: Mode; onChoose(mode: Mode): void }) => {
  const { isAsked, ask, press, takeBack, waits } = useSecondPress(() => onChoose('yolo'));
  const choose = (each: Mode): void => (each === 'yolo' && mode !== 'yolo' ? ask() : onChoose(each));
  return (
    <>
      <Menu
        label={`Mode ${mode}: ${MODE_WORDS[mode]}`}
        side="up"
        align="left"
        rootClass="shrink-0"
        buttonClass="quiet-button h-8"
        button={
          <>
            <span className={COLOURS[mode]}>{mode}</span>
            <Icon name="down" size={12} />
          </>
        }
        entries={MODES.map((each) => ({
          key: each,
          checked: each === mode,
          onSelect: () => choose(each),
          label: (
            <span className="flex w-64 max-w-full flex-col">
              <span className={COLOURS[each]}>{each}</span>
              <span className="text-xs text-soft">{MODE_WORDS[each]}</span>
            </span>
          ),
        }))}
      />
      {isAsked && (
        <button
          type="button"
          className="button shrink-0 text-bad"
          title={`Mode yolo: ${MODE_WORDS.yolo}`}
          ref={(element) => element?.focus()}
          {...waits}
          onBlur={takeBack}
          onKeyDown={({ key }) => key === 'Escape' && takeBack()}
          onClick={press}
        >
          Really yolo
        </button>
      )}
    </>
  );
};
