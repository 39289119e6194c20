/** The programs that use this halter's models: what each cost, and what was done for it. */
import { useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago, counted, tokens } from '../parts/format.ts';
import { PanelDialog } from '../parts/panel-dialog.tsx';
import { visible } from '../parts/visible.ts';
import type { ClientRow } from '../state/api.ts';
import { costWords, sumOf } from './client-words.ts';

const LOOK_MS = 3_000;

export const ClientsDialog = ({ onClose }: { onClose(): void }) => {
  const { api } = useApp();
  const [clients, setClients] = useState<readonly ClientRow[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isOpen = true;
    const look = async (): Promise<void> => {
      const answer = await api.gatewayClients();
      if (!isOpen) return;
      setProblem(answer.ok ? undefined : answer.message);
      if (answer.ok) setClients(answer.value.clients);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [api]);
  return (
    <PanelDialog title="Other programs" onClose={onClose}>
      <div className="px-4 pb-3">
        {problem !== undefined && (
          <p role="alert" className="py-3 text-sm text-bad">
            {problem}
          </p>
        )}
        {clients === undefined && problem === undefined && (
          <p role="status" className="flex items-center gap-2 py-3 text-sm text-soft">
            <span className="spinner" aria-hidden="true" /> Looking
          </p>
        )}
        {clients?.length === 0 && (
          <p className="py-3 text-sm text-soft">
            No other program has used these models since halter began.{' '}
            <code className="mono text-ink">halter connect</code> lists those that can.
          </p>
        )}
        {clients !== undefined && clients.length > 1 && (
          <p className="border-b border-line py-3 text-sm text-soft">All together: {costWords(sumOf(clients))}</p>
        )}
        <ul aria-label="Programs">
          {clients?.map((client) => (
            <Client key={`${client.client} ${client.wire}`} client={client} />
          ))}
        </ul>
      </div>
    </PanelDialog>
  );
};

const Client = ({ client }: { client: ClientRow }) => {
  const { client: name, wire, failed, done, last_at } = client;
  return (
    <li className="border-b border-line py-3 last:border-b-0">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="font-semibold [overflow-wrap:anywhere]">{visible(name)}</h3>
        <span className="text-sm text-soft">{wire}</span>
        <span className="ml-auto text-xs text-soft">{ago(last_at, Date.now())}</span>
      </div>
      <p className="text-sm">{costWords(client)}</p>
      <p className="text-xs text-soft">
        {tokens(client.prompt_tokens)} read, {tokens(client.completion_tokens)} written
        {failed > 0 && ` · ${counted(failed, 'request')} failed`}
      </p>
      {done.length > 0 && <p className="text-sm text-good">{done.join(', ')}</p>}
    </li>
  );
};
