import { describe, expect, test } from '@jest/globals';
import { expandUriTemplate, parseUriTemplate } from '../../../src/protocol/uri-template/index.js';

/** The variables of RFC 6570 §3.2, without the associative arrays. */
const values = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: [],
  undef: undefined,
};

const expand = (source: string) => expandUriTemplate(parseUriTemplate(source), values);

// The RFC's rows whose expression names a variable twice are absent: such templates are refused.
describe('expandUriTemplate', () => {
  test.each([
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
  ])('joins lists as §3.2.1 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
  ])('expands simple strings as §3.2.2 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+list*}', 'red,green,blue'],
  ])('expands reserved strings as §3.2.3 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{#var}', '#value'],
    ['{#hello}', '#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list}', '#red,green,blue'],
    ['{#list*}', '#red,green,blue'],
  ])('expands fragments as §3.2.4 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{.who}', '.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.var}', 'X.value'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.list*}', 'X.red.green.blue'],
    ['X{.empty_keys}', 'X'],
    ['X{.empty_keys*}', 'X'],
  ])('expands labels as §3.2.5 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{/who}', '/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var}', '/value'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/list}', '/red,green,blue'],
    ['{/list*}', '/red/green/blue'],
    ['{/list*,x}', '/red/green/blue/1024'],
  ])('expands path segments as §3.2.6 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;x,y,undef}', ';x=1024;y=768'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;list}', ';list=red,green,blue'],
    ['{;list*}', ';list=red;list=green;list=blue'],
  ])('expands path parameters as §3.2.7 does: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test.each([
    ['{?who}', '?who=fred'],
    ['{?half}', '?half=50%25'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?list*}', '?list=red&list=green&list=blue'],
    ['{&who}', '&who=fred'],
    ['{&half}', '&half=50%25'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{&var:3}', '&var=val'],
    ['{&list}', '&list=red,green,blue'],
    ['{&list*}', '&list=red&list=green&list=blue'],
  ])('expands queries as §3.2.8 and §3.2.9 do: %s', (template, uri) => {
    expect(expand(template)).toBe(uri);
  });

  test('keeps triplets of a reserved value and encodes a lone percent sign', () => {
    const template = parseUriTemplate('{+x}{#y}');
    expect(expandUriTemplate(template, { x: 'a%20b%', y: '%2f%zz' })).toBe('a%20b%25#%2f%25zz');
  });

  test('encodes characters outside ASCII as UTF-8, in values and in literals', () => {
    expect(expandUriTemplate(parseUriTemplate('caf\u00e9/{x}'), { x: '\u{1f600}' })).toBe(
      'caf%C3%A9/%F0%9F%98%80',
    );
  });

  test('counts a prefix in code points and splits no kept triplet', () => {
    expect(expandUriTemplate(parseUriTemplate('{x:2}'), { x: '\u{1f600}\u00e9z' })).toBe(
      '%F0%9F%98%80%C3%A9',
    );
    expect(expandUriTemplate(parseUriTemplate('{+x:2}'), { x: 'a%C3%A9z' })).toBe('a%C3%A9');
  });

  test('reads own properties only', () => {
    const template = parseUriTemplate('{constructor}{__proto__}{toString}');
    expect(expandUriTemplate(template, {})).toBe('');
    const own = JSON.parse('{"constructor":"a","__proto__":"b","toString":"c"}') as Record<string, string>;
    expect(expandUriTemplate(template, own)).toBe('abc');
  });

  test('refuses a list where a prefix is asked for', () => {
    expect(() => expand('{list:2}')).toThrow('A list for "list", which takes a prefix, at offset 1');
  });

  test('refuses half of a surrogate pair', () => {
    expect(() => expandUriTemplate(parseUriTemplate('{x}'), { x: '\ud800' })).toThrow(URIError);
  });
});
