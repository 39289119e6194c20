/**
 * A halter that was started by an older Node, or by the start script, has a channel to it. When the channel ends, the
 * parent is gone, even by KILL, and nobody could stop this process any more: it ends like on a TERM.
 */
export const watchParent = (): void => {
  // What halter starts must not take itself for a re-executed halter.
  const marked = process.env['HALTER_REEXECUTED'] !== undefined;
  delete process.env['HALTER_REEXECUTED'];
  if (!marked || process.channel === undefined || process.channel === null) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Listening must not keep the process alive.
  process.channel.unref();
};
