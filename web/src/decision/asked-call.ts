/** A call that another session asks about, as the question of a call that is shown. Pure. */
import type { AskedPermission } from '../state/api.ts';
import type { CallView } from '../state/view.ts';

type Asked = Pick<CallView, 'name' | 'arguments' | 'risk' | 'onlyReads' | 'inSandbox' | 'preview'>;

export const askedCall = ({
  name,
  arguments: args,
  risk,
  only_reads: reads,
  in_sandbox: inSandbox,
  preview,
  diff,
}: AskedPermission): Asked => ({
  name,
  arguments: args,
  risk,
  ...(reads ? { onlyReads: true } : {}),
  ...(inSandbox ? { inSandbox } : {}),
  ...(preview === null ? {} : { preview: { summary: preview, ...(diff === undefined ? {} : { diff }) } }),
});
