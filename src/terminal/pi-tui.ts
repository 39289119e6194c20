/**
 * The parts of pi-tui that the app uses, by their files: the package's index also loads its Markdown, images, LaTeX and
 * alternate screen, which cost 36 ms and 9 MB at every start. The version is pinned, so the paths hold.
 */
export type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
  Terminal,
  TUI,
} from '@earendil-works/pi-tui';
export { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
export { SelectList } from '@earendil-works/pi-tui/dist/components/select-list.js';
export { fuzzyFilter } from '@earendil-works/pi-tui/dist/fuzzy.js';

import { KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from '@earendil-works/pi-tui/dist/keybindings.js';

export { decodePrintableKey, isKeyRelease, matchesKey } from '@earendil-works/pi-tui/dist/keys.js';
export { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js';
export { parseOsc11BackgroundColor } from '@earendil-works/pi-tui/dist/terminal-colors.js';
export { CURSOR_MARKER } from '@earendil-works/pi-tui/dist/tui.js';
export { sliceByColumn, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui/dist/utils.js';

/** The editor and its lists read their keys from one place of the package. */
export const useEditorKeys = (bindings: Record<string, string[]>): void =>
  setKeybindings(
    new KeybindingsManager(TUI_KEYBINDINGS, bindings as ConstructorParameters<typeof KeybindingsManager>[1]),
  );
