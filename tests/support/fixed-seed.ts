/** Before every test file: fast-check takes its seed from us. It says it with a failure. */
import fc from 'fast-check';
import { TEST_SEED } from './test-seed.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: TEST_SEED });
