/** Which e-mail addresses are accepted, how they are stored, and how their domains are shown. */
import { describe, expect, test } from 'vitest';
import { describeEmailProblem, normalizeEmail, showEmails } from '../../../src/contract/email/email-address.ts';
import { foldIdentifier, listFoldedSpellings } from '../../../src/lib/fold-identifier.ts';

/** What is stored; undefined for an address that is refused. */
function store(text: string): string | undefined {
  const email = normalizeEmail(text);
  return describeEmailProblem(email) === undefined ? email : undefined;
}

describe('an accepted address is stored', () => {
  const same = ['alice@example.com', "o'neil+x@example.co.uk", 'a!b#c$d%e&f*g/h=i?j^k_l`m{n|o}p~q@example.com'];
  same.push(
    'Alice@Example.COM',
    'jürgen@example.com',
    '用户@example.com',
    'a.b.c@ab--cd.de',
    'x@localhost',
    '*@example.com',
  );
  test.each(same)('%j as it is', (email) => expect(store(email)).toBe(email));

  test.each([
    ['a@faß.de', 'a@xn--fa-hia.de'],
    ['a@FAẞ.de', 'a@xn--fa-hia.de'],
    ['A@XN--FA-HIA.DE', 'A@xn--fa-hia.de'],
    ['a@BU\u0308CHER.Example', 'a@xn--bcher-kva.example'],
    ['ju\u0308rgen@bücher.de', 'jürgen@xn--bcher-kva.de'],
    ['a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@ｅｘａｍｐｌｅ．com', 'a@example.com'],
    ['a@example。com', 'a@example.com'],
    ['a@ςτ.gr', 'a@xn--3xae.gr'],
    ['a@ΣΑΣ.gr', 'a@xn--mxa9ab.gr'],
    ['a@пример.рф', 'a@xn--e1afmkfd.xn--p1ai'],
    ['a@अ\u094d\u200dक.de', 'a@xn--l1b6ayl090g.de'],
    ['a@משרד.ישראל', 'a@xn--7dbv4ad.xn--4dbrk0ce'],
    ['a@ab-c.ש-ש1.com', 'a@ab-c.xn---1-zndb.com'],
    ['a@ש\u05b0.com', 'a@xn--7cb7i.com'],
    ['a@وزارة-الأتصالات.مصر', 'a@xn----rmckbbajlc6dj7bxne2c.xn--wgbh1c'],
    ['a@ا۱۲۳.ایران', 'a@xn--mgb81bde.xn--mgba3a4f16a'],
    ['a@अ१.com', 'a@xn--l1b0r.com'],
    // Emoji and look-alikes are names of domains, which are shown as they are stored.
    ['a@💩.la', 'a@xn--ls8h.la'],
    ['a@раураl.com', 'a@xn--l-7sba6dbr.com'],
  ])('%j with the domain as A-labels', (text, stored) => {
    const email = normalizeEmail(text);
    expect([email, describeEmailProblem(email)]).toEqual([stored, undefined]);
    expect(email).toMatch(/@[a-z0-9.-]+$/);
    expect(normalizeEmail(email)).toBe(email);
  });

  test('with 64 bytes before the @, labels of 63 characters, and 254 bytes in all', () => {
    const label = 'l'.repeat(63);
    expect(store(`${'ü'.repeat(32)}@example.com`)).toBeDefined();
    expect(store(`${'a'.repeat(64)}@${label}.${label}.${'l'.repeat(58)}.de`)).toHaveLength(254);
    expect(store(`a@${'ü'.repeat(50)}.de`)).toMatch(/^a@xn--.{50,59}\.de$/);
  });
});

const refused = {
  'an address in brackets': ['x@[127.0.0.1]', 'x@[IPv6:::1]', 'x@[]', 'x@[example.com]', 'x@[1.2.3.4'],
  'an IP address': ['x@127.0.0.1', 'x@1', 'x@1.2.3', 'x@１２７.０.０.１', 'x@example.0x7f', 'x@bücher.1', 'x@::1'],
  quotes: ['"a b"@example.com', '"a"@example.com', '"a@b"@example.com', 'a"b@example.com', '""@example.com'],
  'empty labels': ['x@example.com.', 'x@bücher.de.', 'x@example。com。', 'x@.de', 'x@b..de', 'x@.', 'x@bücher..de'],
  'missing parts': ['', '@', 'a', 'a@', '@b.de', 'a@b@c', 'a@b@example.com', 'a＠b.de', 'a＠b@c.de', 'a﹫b@c.de'],
  spaces: [
    'a b@c.de',
    ' a@c.de',
    'a@c.de ',
    'a@c d.de',
    'a\u3000b@c.de',
    'a\u00a0b@c.de',
    'a@c\u3000d.de',
    'a\u2028@c.de',
  ],
  dots: ['.a@b.de', 'a.@b.de', 'a..b@c.de', '.@b.de', '..@b.de'],
  delimiters: [
    'a,b@c.de',
    'a;b@c.de',
    'a<b@c.de',
    'a(b)@c.de',
    'a:b@c.de',
    'a\\b@c.de',
    'Alice <a@c.de>',
    'a@c.de,b@c.de',
  ],
  'invisible characters': [
    '\u200b',
    '\u200d',
    '\ufeff',
    '\u00ad',
    '\u202e',
    '\u2066',
    '\u{e0041}',
    '\ufe0f',
    '\u0000',
    '\u0085',
    '\ud800',
  ].flatMap((letter) => [`a${letter}b@example.com`, `${letter}a@example.com`]),
  'invisible characters in the domain': ['\u200b', '\ufeff', '\u00ad', '\u202e', '\u{e0041}', '\u0000', '\ud800'].map(
    (letter) => `a@exam${letter}ple.com`,
  ),
  'joiners where nothing is joined': ['a@a\u200db.de', 'a@\u200db.de', 'a@a\u200cb.de', 'a@ü\u200d.de', 'a@\u200c.de'],
  'invalid A-labels': [
    'a@xn--a',
    'a@xn--a.de',
    'a@xn--.de',
    'a@xn--abc-.de',
    'a@xn--999999999.de',
    'a@xn--bücher.de',
    'a@xn--u-ccb.de',
    'a@xn----eha.de',
    'a@xn--Ã¼.de',
  ],
  'invalid domains': [
    'a@-b.de',
    'a@b-.de',
    'a@b_c.de',
    'a@bü_c.de',
    'a@-ü.de',
    'a@ü-.de',
    'a@ü%41.de',
    'a@ü/b.de',
    'a@ü:80.de',
    'a@ü?b',
    'a@ü#b',
    'a@אa.com',
    'a@⒈.de',
    'a@b!c.de',
    'a@ａ／ｂ.de',
  ],
  'a label of both directions': [
    'aש',
    'שa',
    'aשa',
    '1ש',
    'ש-',
    'ש١1',
    'ا١۱ا',
    'a١',
    '\u05b0ש',
    '☺א',
    'א☺',
    'ש.1com',
    '123.ש',
    '-a.ש',
    'xn--a-gjc',
    '123.xn--ueb',
  ].map((domain) => `a@${domain}.com`),
  'too many bytes': [
    `${'a'.repeat(65)}@b.de`,
    `${'ü'.repeat(33)}@b.de`,
    `a@${'l'.repeat(64)}.de`,
    `a@${'ü'.repeat(63)}.de`,
    `a@${'b.'.repeat(126)}de`,
    `a@${'ü.'.repeat(40)}de`,
  ],
  'a mask': ['a***@example.com', '***@example.com', 'ü***@example.com', 'a***@localhost', 'a***@xn--bcher-kva.de'],
};

describe('an address is refused', () => {
  test.each(Object.entries(refused))('with %s', (_, emails) => {
    expect(emails.length).toBeGreaterThanOrEqual(5);
    expect(emails.filter((email) => store(email) !== undefined)).toEqual([]);
  });
});

test('a domain is shown in Unicode where each label is of one script', () => {
  const shown = [
    'jürgen@bücher.de',
    'a@faß.de',
    'a@例え.テスト',
    'a@пример.рф',
    'a@bücher.рф',
    'a@한국.com',
    'a@ελ.gr',
    'a@१२.भारत',
  ];
  for (const email of shown) expect(showEmails(`to ${normalizeEmail(email)}, or`)).toBe(`to ${email}, or`);
  // Mixed scripts, emoji, and joiners.
  const stored = ['a@раураl.com', 'a@аpple.com', 'a@💩.la', 'a@γamma.gr', 'a@я한.com'].map(normalizeEmail);
  expect(stored.map(showEmails)).toEqual(stored);
  for (const text of ['a@xn--a.de', 'xn--bcher-kva.de', 'a@XN--.de', 'a@xn--u-ccb.de', 'a@example.com'])
    expect(showEmails(text)).toBe(text);
});

test('addresses are compared by their A-labels, in NFC and without regard to case', () => {
  const spellings = [
    'Jürgen@Bücher.DE',
    'ju\u0308rgen@bu\u0308cher.de',
    'jürgen@XN--BCHER-KVA.de',
    'JÜRGEN@bücher。de',
  ];
  for (const spelling of spellings) expect(foldIdentifier(spelling)).toBe('jürgen@xn--bcher-kva.de');
  // Letters whose capital is composed of two, with the keys of before.
  for (const spelling of ['J\u030c@j.com', 'j\u030c@j.com', '\u01f0@j.com']) {
    expect(foldIdentifier(spelling)).toBe('\u01f0@j.com');
    expect(listFoldedSpellings(spelling)).toContain('j\u030c@j.com');
  }
  expect(listFoldedSpellings('stra\u00dfe')).toEqual(['stra\u00dfe']);
  // Parts of an address, links, and texts that are none.
  expect(foldIdentifier('@BÜCHER.de')).toBe('@xn--bcher-kva.de');
  for (const other of ['bücher.de', 'corp:a@bücher.de', 'ü@', 'ü@a b', 'ü@ü%41'])
    expect(foldIdentifier(other)).toBe(other);
});
