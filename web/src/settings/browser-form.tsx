/** What is kept in this browser: how it tells of what waits, and the colours. */
import { useState } from 'react';
import { applyTheme, keepTheme, keptTheme, THEME_WORDS, THEMES } from '../shell/theme-button.tsx';
import { type AlertChoice, canNotify, chooseAlerts, useAlertChoice } from '../supervise/alert-choice.ts';

const ALERTS: readonly { choice: AlertChoice; words: string }[] = [
  { choice: 'notify', words: 'Notification and sound' },
  { choice: 'sound', words: 'Sound only' },
  { choice: 'off', words: 'Nothing' },
];

export const BrowserForm = () => {
  const kept = useAlertChoice() ?? 'off';
  /** Shown at once: the browser may ask the person first. */
  const [wanted, setWanted] = useState<AlertChoice>();
  const choice = wanted ?? kept;
  const [theme, setTheme] = useState(keptTheme);
  const [note, setNote] = useState('');
  const choose = async (next: AlertChoice): Promise<void> => {
    setWanted(next);
    const given = await chooseAlerts(next);
    setWanted(undefined);
    setNote(given === next ? '' : 'This browser does not let halter show notifications, so there is a sound.');
  };
  return (
    <div className="flex flex-col gap-5">
      <fieldset className="flex flex-col">
        <legend className="mb-1 text-sm font-medium">
          When a session waits for you or is done, and you look elsewhere
        </legend>
        {ALERTS.map(({ choice: each, words }) => (
          <label key={each} className="flex min-h-10 cursor-pointer items-center gap-3 text-sm">
            <input
              type="radio"
              name="alerts"
              className="size-4 accent-blue"
              checked={choice === each}
              disabled={each === 'notify' && !canNotify()}
              onChange={() => void choose(each)}
            />
            {words}
          </label>
        ))}
        <p role="status" className="text-xs text-soft">
          {note}
        </p>
        <p className="text-xs text-soft">
          {canNotify()
            ? 'A page of halter has to be open somewhere in this browser, or halter installed as an app and running.'
            : 'Browsers show notifications of pages on this machine and of pages over TLS (halter serve --tls-cert, --tls-key).'}
        </p>
      </fieldset>
      <fieldset className="flex flex-col">
        <legend className="mb-1 text-sm font-medium">Colours</legend>
        {THEMES.map((each) => (
          <label key={each} className="flex min-h-10 cursor-pointer items-center gap-3 text-sm">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-blue"
              checked={theme === each}
              onChange={() => {
                keepTheme(each);
                applyTheme(each);
                setTheme(each);
              }}
            />
            {THEME_WORDS[each]}
          </label>
        ))}
      </fieldset>
    </div>
  );
};
