/**
 * Words spoken into the field, where this browser recognises speech on this machine. Elsewhere what is said would be sent
 * to somebody, so there is no button.
 */
import { useEffect, useRef, useState } from 'react';

type Result = { isFinal: boolean; 0: { transcript: string } };
type Recognition = {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally: boolean;
  onresult: ((event: { resultIndex: number; results: ArrayLike<Result> }) => void) | null;
  onend: (() => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
};
type RecognitionClass = {
  new (): Recognition;
  /** Absent where a browser cannot say whether it is done on this machine. */
  available?(options: { langs: string[]; processLocally: boolean }): Promise<string>;
};

const recognitionClass = (): RecognitionClass | undefined =>
  (window as unknown as { SpeechRecognition?: RecognitionClass }).SpeechRecognition;

const isLocal = async (kind: RecognitionClass | undefined, lang: string): Promise<boolean> => {
  // A browser that knows no such choice sends what is said elsewhere.
  if (kind?.available === undefined || !('processLocally' in kind.prototype)) return false;
  try {
    return (await kind.available({ langs: [lang], processLocally: true })) === 'available';
  } catch {
    return false;
  }
};

export type Dictation = { isOffered: boolean; isListening: boolean; toggle(): void };

/** `onWords` gets what was said, piece by piece. */
export const useDictation = (onWords: (words: string) => void, onProblem: (text: string) => void): Dictation => {
  const [isOffered, setOffered] = useState(false);
  const [isListening, setListening] = useState(false);
  const running = useRef<Recognition>(undefined);
  useEffect(() => {
    let isOver = false;
    void isLocal(recognitionClass(), navigator.language).then((found) => {
      if (!isOver) setOffered(found);
    });
    return () => {
      isOver = true;
      running.current?.abort();
    };
  }, []);
  const toggle = (): void => {
    if (running.current) {
      running.current.stop();
      return;
    }
    const Kind = recognitionClass();
    if (Kind === undefined) return;
    const recognition = new Kind();
    Object.assign(recognition, {
      lang: navigator.language,
      continuous: true,
      interimResults: false,
      processLocally: true,
    });
    recognition.onresult = ({ resultIndex, results }) => {
      const said = Array.from(results).slice(resultIndex);
      for (const result of said) if (result.isFinal) onWords(result[0].transcript.trim());
    };
    recognition.onerror = ({ error }) => {
      if (error !== 'aborted' && error !== 'no-speech') onProblem(`The browser does not listen: ${error}.`);
    };
    recognition.onend = () => {
      running.current = undefined;
      setListening(false);
    };
    running.current = recognition;
    setListening(true);
    recognition.start();
  };
  return { isOffered, isListening, toggle };
};
