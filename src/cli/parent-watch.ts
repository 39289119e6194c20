/**
 * A halter that was started by an older Node, or by the start script, has a channel to it. When the channel ends, the
 * parent is gone, even by KILL, and nobody could stop this process any more: it ends like on a TERM.
 */
export const watchParent = (): void => {
  // What halter starts must not take itself for a re-executed halter.
  const marked = process.env['HALTER_REEXECUTED'] !== undefined;
  delete process.env['HALTER_REEXECUTED'];
  // `send` is there for who was started with a channel, also once it has ended.
  if (!marked || process.send === undefined) return;
  const end = (): boolean => process.kill(process.pid, 'SIGTERM');
  if (process.channel === undefined || process.channel === null) {
    // It ended while this program was loaded.
    end();
    return;
  }
  process.once('disconnect', end);
  // Listening must not keep the process alive.
  process.channel.unref();
};
