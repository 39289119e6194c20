/** What is said where the runtime has no node:sqlite, which locks and indexes files. */
export const NO_FILES = `Keeping things in files needs node:sqlite, which Node ${process.versions.node} does not have. Use Node 22.13 or newer, or storage: 'memory'.`;
