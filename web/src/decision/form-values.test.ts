import { describe, expect, it } from 'vitest';
import { formFields } from '../../../src/core/form-fields.ts';
import { formValues, startValues } from './form-values.ts';

const FIELDS = formFields({
  type: 'object',
  required: ['name', 'agreed'],
  properties: {
    name: { type: 'string', title: 'Name' },
    age: { type: 'integer', minimum: 1, default: 42 },
    agreed: { type: 'boolean' },
    pet: { type: 'string', enum: ['cat', 'dog'], enumNames: ['Cat', 'Dog'], default: 'cat' },
    colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue, pale'] }, minItems: 1 },
  },
});

describe('the values of a form', () => {
  it('begin with what the server proposes, and are what its fields want', () => {
    const start = startValues(FIELDS);
    expect(start).toEqual({ name: '', age: '42', agreed: false, pet: 'cat', colours: [] });
    const { values, problems } = formValues(FIELDS, { ...start, name: 'Ada', age: '7', colours: ['blue, pale'] });
    expect([values, [...problems]]).toEqual([
      { name: 'Ada', age: 7, agreed: false, pet: 'cat', colours: ['blue, pale'] },
      [],
    ]);
  });

  it('that are missing or do not fit are named, and a field that was emptied stays empty', () => {
    const { values, problems } = formValues(FIELDS, { ...startValues(FIELDS), age: '' });
    expect([...problems.keys()]).toEqual(['name']);
    expect(values).toEqual({ agreed: false, pet: 'cat' });
    expect(formValues(FIELDS, { ...startValues(FIELDS), name: 'x', age: 'none' }).problems.has('age')).toBe(true);
    expect(formValues(FIELDS, { ...startValues(FIELDS), name: 'x', age: '0' }).problems.has('age')).toBe(true);
  });
});
