/** What a person sets: for a session, of its tools, of the rules, and of this browser. */
import { useId, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { PanelDialog } from '../parts/panel-dialog.tsx';
import { StatisticsPanel } from '../statistics/statistics-panel.tsx';
import { BrowserForm } from './browser-form.tsx';
import { DefaultsForm } from './defaults-form.tsx';
import { KeyForm } from './key-form.tsx';
import { RuleList } from './rule-list.tsx';
import { SessionForm } from './session-form.tsx';
import { ToolList } from './tool-list.tsx';
import { useDefaults } from './use-defaults.ts';
import { useSettings } from './use-settings.ts';

const TABS = ['Session', 'Defaults', 'Tools', 'Rules', 'Keys', 'Statistics', 'Browser'] as const;
type Tab = (typeof TABS)[number];

export const SettingsDialog = ({ onClose }: { onClose(): void }) => {
  const [tab, setTab] = useState<Tab>('Session');
  const { sessionId } = useApp();
  const shown = useSettings();
  const defaults = useDefaults();
  const id = useId();
  const move = (event: React.KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;
    setTab(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <PanelDialog
      title="Settings"
      isTall
      onClose={onClose}
      top={
        <div
          role="tablist"
          aria-label="Settings"
          className="flex shrink-0 flex-wrap gap-x-1 border-b border-line px-3"
          onKeyDown={move}
          tabIndex={-1}
        >
          {TABS.map((each) => (
            <button
              key={each}
              id={`${id}-${each}`}
              type="button"
              role="tab"
              aria-selected={each === tab}
              aria-controls={`${id}-panel`}
              tabIndex={each === tab ? 0 : -1}
              className={`min-h-10 shrink-0 border-b-2 px-2 text-sm sm:px-3 ${each === tab ? 'border-blue font-medium text-ink' : 'border-transparent text-soft hover:text-ink'}`}
              onClick={() => setTab(each)}
            >
              {each}
            </button>
          ))}
        </div>
      }
    >
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${tab}`} className="px-4 py-3 sm:min-h-96">
        {tab === 'Session' && (
          <SessionForm
            name={sessionId ?? 'of the next session'}
            shown={shown}
            without={['context_length']}
            intro={
              shown.isOfSession
                ? 'These hold for this session.'
                : 'These hold for the next session that you begin in this tab.'
            }
          />
        )}
        {tab === 'Defaults' && <DefaultsForm shown={defaults} />}
        {tab === 'Tools' && <ToolList shown={shown} />}
        {tab === 'Rules' && <RuleList />}
        {tab === 'Keys' && <KeyForm />}
        {tab === 'Statistics' && <StatisticsPanel />}
        {tab === 'Browser' && <BrowserForm />}
      </div>
    </PanelDialog>
  );
};
