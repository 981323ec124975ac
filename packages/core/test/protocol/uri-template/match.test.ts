import { describe, expect, test } from '@jest/globals';
import { compileMatcher, MAX_URI_LENGTH } from '../../../src/protocol/uri-template/match.js';
import { parseUriTemplate } from '../../../src/protocol/uri-template/parse.js';

const match = (template: string, uri: string) => compileMatcher(parseUriTemplate(template))(uri);

describe('compileMatcher', () => {
  test.each([
    ['commerce://products/{sku}', 'commerce://products/A-1', { sku: 'A-1' }],
    ['commerce://products/{sku}', 'commerce://products/a%2Fb%20c', { sku: 'a/b c' }],
    ['test://template/{id}/data', 'test://template/7/data', { id: '7' }],
    ['{x}-{y}', 'a-b-c', { x: 'a-b', y: 'c' }],
    ['{x,y}', '1024,768', { x: '1024', y: '768' }],
    ['{x,y}', '1024', { x: '1024' }],
    ['{x:3}', 'val', { x: 'val' }],
    ['{list*}', 'red,green', { list: ['red', 'green'] }],
    ['plain://static', 'plain://static', {}],
    ['', '', {}],
  ])('takes simple values: %s in %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each([
    ['commerce://products/{sku}', 'commerce://products/'],
    ['commerce://products/{sku}', 'commerce://products/a/b'],
    ['commerce://products/{sku}', 'commerce://products/a?b=1'],
    ['commerce://products/{sku}', 'commerce://products/a#b'],
    ['commerce://products/{sku}', 'commerce://product/a'],
    ['commerce://products/{sku}', 'x-commerce://products/a'],
    ['{x,y}', '1,2,3'],
    ['{x:3}', 'value'],
    ['a{x}b', 'a1'],
    ['', 'a'],
    ['plain://static', 'plain://static/'],
  ])('refuses what the template cannot have become: %s in %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  test.each([
    ['file:///{+path}', 'file:///a/b.txt', { path: 'a/b.txt' }],
    ['file:///{+path}', 'file:///a?b#c', { path: 'a?b#c' }],
    ['{+path}/edit', 'a/edit/b/edit', { path: 'a/edit/b' }],
    ['{+path}/{x}.json', 'a/b/c.json', { path: 'a/b', x: 'c' }],
    ['{+path}{?q}', 'a/b?q=1', { path: 'a/b', q: '1' }],
    ['{+path}{#part}', 'a/b#c/d', { path: 'a/b', part: 'c/d' }],
    ['{+base}{/id}', 'a/b/c', { base: 'a/b', id: 'c' }],
    ['x{#part}', 'x', {}],
    ['x{#part}', 'x#', { part: '' }],
  ])('lets reserved values hold slashes: %s in %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each([
    ['x{/a,b}', 'x', {}],
    ['x{/a,b}', 'x/1', { a: '1' }],
    ['x{/a,b}', 'x/1/2', { a: '1', b: '2' }],
    ['x{/a,b}', 'x/1/', { a: '1', b: '' }],
    ['x{/a,b}{/c}', 'x/1/2/3', { a: '1', b: '2', c: '3' }],
    ['x{/path*}', 'x/1/2/3', { path: ['1', '2', '3'] }],
    ['x{/path*}/end', 'x/1/2/end', { path: ['1', '2'] }],
    ['x{/path*}', 'x/a%2Fb', { path: ['a/b'] }],
    ['{name}{.ext}', 'a.b.json', { name: 'a.b', ext: 'json' }],
    ['{name}{.ext}', 'readme', { name: 'readme' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
  ])('takes optional segments and labels: %s in %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each([
    ['x{?a,b}', 'x', {}],
    ['x{?a,b}', 'x?', {}],
    ['x{?a,b}', 'x?a=1&b=2', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a,b}', 'x?b=2', { b: '2' }],
    ['x{?a,b}', 'x?a', { a: '' }],
    ['x{?a,b}', 'x?a=', { a: '' }],
    ['x{?a,b}', 'x?a=1=2', { a: '1=2' }],
    ['x{?a,b}', 'x?utm=9&a=1', { a: '1' }],
    ['x{?a}', 'x?a=one%20two%26%C3%A9', { a: 'one two&\u00e9' }],
    ['x{?a}', 'x?a=1+1', { a: '1+1' }],
    ['x{?a*}', 'x?a=1&a=2', { a: ['1', '2'] }],
    ['x{?a*}', 'x?a=1', { a: ['1'] }],
    ['x{?a}{&b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x?fixed=yes{&a,b}', 'x?fixed=yes&b=2&a=1', { a: '1', b: '2' }],
    ['x?fixed=yes{&a,b}', 'x?fixed=yes', {}],
    ['x?kind={kind}{&page}', 'x?kind=new&page=2', { kind: 'new', page: '2' }],
    ['x{?a}#end', 'x?a=1#end', { a: '1' }],
    ['x{;a,b}', 'x;b=2;a=1', { a: '1', b: '2' }],
    ['x{;a,b}', 'x;a', { a: '' }],
    ['{x}{;a*}/y', '1;a=2;a=3/y', { x: '1', a: ['2', '3'] }],
  ])('takes named values in any order, or none: %s in %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test('refuses a parameter that is given twice but is no list', () => {
    expect(match('x{?a}', 'x?a=1&a=2')).toBeUndefined();
  });

  test.each(['x/%', 'x/%2', 'x/%zz', 'x/%FF', 'x/%C3', 'x/%C0%80', 'x/%ED%A0%80', 'x/\ud800'])(
    'refuses bad percent-encoding: %j',
    (uri) => {
      expect(match('x/{a}', uri)).toBeUndefined();
      expect(match('x/{+a}', uri)).toBeUndefined();
    },
  );

  test.each(['x://caf\u00e9/1', 'x://caf%C3%A9/1', 'x://caf%c3%a9/1'])(
    'reads a literal outside ASCII in each of its spellings: %s',
    (uri) => {
      expect(match('x://caf\u00e9/{id}', uri)).toEqual({ id: '1' });
      expect(match('x://caf%c3%a9/{id}', uri)).toEqual({ id: '1' });
    },
  );

  test('keeps prototype names harmless', () => {
    const values = match('x/{__proto__}/{constructor}{?toString}', 'x/a/b?toString=c&valueOf=d');
    expect(Object.getPrototypeOf(values)).toBeNull();
    expect(Object.entries(values ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['toString', 'c'],
    ]);
    expect(Object.keys(match('x{?a}', 'x?__proto__=1&constructor=2') ?? {})).toEqual([]);
  });

  test('gives up on URIs beyond its bound', () => {
    expect(match('{x}', 'a'.repeat(MAX_URI_LENGTH))).toBeDefined();
    expect(match('{x}', 'a'.repeat(MAX_URI_LENGTH + 1))).toBeUndefined();
    expect(match('{x}', '\u00e9'.repeat(MAX_URI_LENGTH / 4))).toBeUndefined();
  });
});
