/** How this browser tells its person of what waits: chosen once, kept here, changed in the settings. */
import { useSyncExternalStore } from 'react';
import { inBrowser } from '../state/browser-store.ts';
import { readyWorker } from './show-notification.ts';

/** `undefined`: nobody was asked yet. */
export type AlertChoice = 'notify' | 'sound' | 'off';
const KEY = 'halter alerts';
const CHOICES: readonly AlertChoice[] = ['notify', 'sound', 'off'];
const listeners = new Set<() => void>();
/** Where the browser does not keep it. */
let held: AlertChoice | undefined;

export const alertChoice = (): AlertChoice | undefined => {
  const kept = inBrowser.get(KEY) ?? held;
  return CHOICES.find((choice) => choice === kept);
};

export const keepAlertChoice = (choice: AlertChoice): void => {
  held = choice;
  inBrowser.set(KEY, choice);
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};
export const useAlertChoice = (): AlertChoice | undefined => useSyncExternalStore(subscribe, alertChoice);

/** Browsers let a page notify where the connection is trusted: this machine, or TLS. */
export const canNotify = (): boolean => window.isSecureContext && 'Notification' in window;

/** Whether the person lets the browser show them. A refusal leaves the sound. */
export const chooseAlerts = async (choice: AlertChoice): Promise<AlertChoice> => {
  const allowed = choice !== 'notify' || (canNotify() && (await Notification.requestPermission()) === 'granted');
  const kept = allowed ? choice : 'sound';
  keepAlertChoice(kept);
  if (kept !== 'off') playSound();
  // It takes a while to start, and what is to be told of may be over by then.
  if (kept === 'notify') void readyWorker();
  return kept;
};

let audio: AudioContext | undefined;
const TONES = [660, 880];
const TONE_SECONDS = 0.12;

/** Two short tones, made here. A browser plays nothing before the person touched the page. */
export const playSound = (): void => {
  try {
    audio ??= new AudioContext();
    const context = audio;
    void context.resume();
    for (const [index, hertz] of TONES.entries()) {
      const begin = context.currentTime + index * TONE_SECONDS;
      const [tone, volume] = [context.createOscillator(), context.createGain()];
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(0.08, begin);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + TONE_SECONDS);
      tone.connect(volume).connect(context.destination);
      tone.start(begin);
      tone.stop(begin + TONE_SECONDS);
    }
  } catch {
    // There is no sound on this device.
  }
};
