import { createContext } from 'react';

/** Leads from a mark of a source to the call that it names. */
export const ShowSource = createContext<(tool: string) => void>(() => {});
