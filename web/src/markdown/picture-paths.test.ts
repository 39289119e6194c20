import { describe, expect, it } from 'vitest';
import { picturePath, picturePathOfAddress, picturesIn } from './picture-paths.ts';

describe('a path of a picture', () => {
  it('is relative, stays inside and ends like a picture', () => {
    expect(['plot.png', './out/a b.JPG', 'a/b.webp'].map(picturePath)).toEqual(['plot.png', 'out/a b.JPG', 'a/b.webp']);
    const others = [
      '/a.png',
      '../a.png',
      'a/../b.png',
      '//host/a.png',
      'http://a.test/b.png',
      'C:\\a.png',
      'a.svg',
      'a.png?x',
    ];
    expect(others.filter((path) => picturePath(path) !== undefined)).toEqual([]);
    expect(picturePathOfAddress('out/my%20plot.png')).toBe('out/my plot.png');
    expect(picturePathOfAddress('%2e%2e/plot.png')).toBeUndefined();
    expect(picturePathOfAddress('%zz.png')).toBeUndefined();
  });

  it('is found in what a tool says it made, and not in a list of files', () => {
    expect(picturesIn('{"path":"pictures/cat.png","format":"png","bytes":10}')).toEqual(['pictures/cat.png']);
    expect(picturesIn('{"images":["a.png","a.png","b.gif"],"page":"https://a.test/c.png"}')).toEqual([
      'a.png',
      'b.gif',
    ]);
    expect([picturesIn('["a.png"]'), picturesIn('a.png'), picturesIn('{broken'), picturesIn(null)]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });
});
