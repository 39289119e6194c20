/** What a piece of work costs, whatever else the machine does meanwhile. */

/** Milliseconds that the processors worked for this process while `work` ran. */
export const processorMs = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
