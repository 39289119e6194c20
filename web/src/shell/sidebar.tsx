import { useState } from 'react';
import { useApp } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { ImportBar } from '../sessions/import-bar.tsx';
import { ListMenu } from '../sessions/list-menu.tsx';
import { SessionList } from '../sessions/session-list.tsx';
import { Inbox } from './inbox.tsx';
import { ThemeButton } from './theme-button.tsx';

type Props = {
  onSearch(): void;
  onServers(): void;
  onSettings(): void;
  onInvitation(): void;
  onShortcuts(): void;
  onClose(): void;
};

export const Sidebar = ({ onSearch, onServers, onSettings, onInvitation, onShortcuts, onClose }: Props) => {
  const { openSession, status } = useApp();
  const [selected, setSelected] = useState<ReadonlySet<string>>();
  return (
    <nav aria-label="Sessions" className="flex h-full flex-col bg-sunken">
      <div className="flex h-12 items-center gap-1 px-2">
        <ListMenu onSelectSeveral={() => setSelected(new Set())} />
        <button
          type="button"
          className="icon-button"
          aria-label="Search sessions"
          title="Search sessions (Ctrl+K)"
          aria-keyshortcuts="Control+K"
          onClick={onSearch}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Hide sessions"
          title="Hide sessions (Ctrl+B)"
          onClick={onClose}
        >
          <Icon name="sidebar" />
        </button>
      </div>
      <div className="px-2 pb-2">
        <button
          type="button"
          className="button w-full justify-start"
          title="New session (Ctrl+Shift+O)"
          onClick={() => openSession(undefined)}
        >
          <Icon name="plus" /> New session
        </button>
      </div>
      <Inbox className="max-h-[45%] max-sm:max-h-[60%] short:max-h-[75%]" />
      <SessionList selected={selected} onSelected={setSelected} />
      <ImportBar />
      <div className="flex items-center justify-between border-t border-line px-2 py-1">
        <span className="min-w-0 flex-1 truncate pl-2 text-xs text-soft">halter {status?.version}</span>
        <button
          type="button"
          className="icon-button"
          aria-label="Open on another device"
          title="Open on another device"
          onClick={onInvitation}
        >
          <Icon name="phone" />
        </button>
        <button type="button" className="icon-button" aria-label="MCP servers" title="MCP servers" onClick={onServers}>
          <Icon name="plug" />
        </button>
        <button type="button" className="icon-button" aria-label="Settings" title="Settings" onClick={onSettings}>
          <Icon name="gear" />
        </button>
        <button
          type="button"
          className="icon-button max-sm:hidden"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          aria-keyshortcuts="? Control+/"
          onClick={onShortcuts}
        >
          <span aria-hidden="true" className="text-sm">
            ?
          </span>
        </button>
        <ThemeButton />
      </div>
    </nav>
  );
};
