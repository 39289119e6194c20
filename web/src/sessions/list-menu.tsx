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

export const ListMenu = ({ onSelectSeveral }: { onSelectSeveral(): void }) => {
  const { status, allFolders, setAllFolders, imports } = useApp();
  const [showsClients, setShowsClients] = useState(false);
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
        ...(imports.importing?.state === 'running'
          ? []
          : [
              {
                key: 'import',
                label: 'Import sessions…',
                onSelect: () => chooseFiles('.json,.jsonl', (files) => void imports.importFiles(files)),
              },
            ]),
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
