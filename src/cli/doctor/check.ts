/** What one look of `halter doctor` found. */
export type Check = {
  name: string;
  state: 'ok' | 'warning' | 'problem';
  detail: string;
  /** Absent where nothing is to be done. */
  advice?: string;
};
