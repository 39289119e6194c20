/** Behind the name of the folder: which sessions are listed, and how more of them come here. */
import { lazy, Suspense, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { chooseFiles } from '../parts/choose-files.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { folderName } from './session-entry.tsx';

const ClientsDialog = lazy(() =>
  import('../gateway/clients-dialog.tsx').then((all) => ({ default: all.ClientsDialog })),
);

const IMPORT_BYTES = 30_000_000;

export const ListMenu = ({ onSelectSeveral }: { onSelectSeveral(): void }) => {
  const { api, status, allFolders, setAllFolders, openSession, refreshSessions, say } = useApp();
  const [showsClients, setShowsClients] = useState(false);
  const take = async (files: readonly File[]): Promise<void> => {
    let last: string | undefined;
    for (const file of files) {
      if (file.size > IMPORT_BYTES) {
        say(`${file.name} is larger than 30 MB.`);
        continue;
      }
      const made = await api.importSession(await file.text());
      if (made.ok) last = made.value.id;
      else say(`${file.name}: ${made.message}`);
    }
    refreshSessions();
    if (last !== undefined) openSession(last);
  };
  const folder = status ? folderName(status.workspace) : 'halter';
  const menu = (
    <Menu
      label={`${allFolders ? 'Sessions of all folders' : `Sessions of ${folder}`}: more`}
      side="down"
      align="left"
      rootClass="min-w-0 flex-1"
      buttonClass="flex h-9 max-w-full items-center gap-1 rounded px-2 text-sm font-bold hover:bg-hover pointer-coarse:h-10 max-sm:h-10"
      button={
        <>
          <span className="truncate">{allFolders ? 'All folders' : folder}</span>
          <span className="shrink-0 text-soft">
            <Icon name="down" size={12} />
          </span>
        </>
      }
      entries={[
        {
          key: 'folders',
          label: allFolders ? 'Show this folder only' : 'Show all folders',
          onSelect: () => setAllFolders(!allFolders),
        },
        {
          key: 'import',
          label: 'Import sessions…',
          onSelect: () => chooseFiles('.json,.jsonl', (files) => void take(files)),
        },
        { key: 'several', label: 'Select several', onSelect: onSelectSeveral },
        { key: 'clients', label: 'Other programs…', onSelect: () => setShowsClients(true) },
      ]}
    />
  );
  return (
    <>
      {menu}
      <Suspense>{showsClients && <ClientsDialog onClose={() => setShowsClients(false)} />}</Suspense>
    </>
  );
};
