/** All that is asked of a model, in this order. */
import type { Check } from './check.ts';
import { ANSWER_CHECKS } from './checks/answers.ts';
import { ARGUMENT_CHECKS } from './checks/arguments.ts';
import { BASIC_CHECKS } from './checks/calls.ts';
import { JUDGEMENT_CHECKS } from './checks/judgement.ts';
import { SCHEMA_CHECKS } from './checks/schema.ts';
import { SPEED_CHECKS } from './checks/speed.ts';
import { TURN_CHECKS } from './checks/turns.ts';
import { WINDOW_CHECKS } from './checks/window.ts';

/** The speed comes before the window, so that no prompt is tried that would take minutes to read. */
export const CHECKS: readonly Check[] = [
  ...ANSWER_CHECKS,
  ...SPEED_CHECKS,
  ...BASIC_CHECKS,
  ...ARGUMENT_CHECKS,
  ...TURN_CHECKS,
  ...JUDGEMENT_CHECKS,
  ...SCHEMA_CHECKS,
  ...WINDOW_CHECKS,
];
