import { describe, expect, it, test } from 'vitest'
import { placeholderKind } from '../../../src/core/values/placeholder.ts'

const VAULT = 'a reference of a vault'

describe('what plainly is not the secret', () => {
  test.each<[looksLike: string, ...values: string[]]>([
    [
      'wrapped in quotes',
      '"first-secret"',
      "'first-secret'",
      '“first-secret”',
      '`first-secret`',
      '""'
    ],
    ['encrypted text', 'ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:eHg=,type:str]', 'ENC[PKCS7,MIIB]'],
    [
      'encrypted text',
      '$ANSIBLE_VAULT;1.1;AES256',
      'vault:v1:8SDd3WHDOjf7mq69',
      '-----BEGIN PGP MESSAGE-----'
    ],
    [
      VAULT,
      'op://net/radius/secret',
      'gcp-sm://wifi',
      'vault:secret/data/wifi#radius',
      'ref+vault://wifi/radius#key'
    ],
    [
      VAULT,
      'arn:aws:secretsmanager:eu-west-1:1:secret:wifi',
      'projects/1/secrets/wifi/versions/2',
      'akv://wifi/radius'
    ],
    [
      VAULT,
      '@Microsoft.KeyVault(SecretUri=https://x)',
      '<path:secret/data/wifi#radius>',
      'env://RADIUS'
    ],
    [
      'an expression of a workflow',
      '\x24{{ secrets.RADIUS }}',
      '$(RADIUS)',
      '$[variables.radius]',
      '<%= radius %>'
    ],
    [
      'a variable that nothing replaced',
      '\x24{RADIUS}',
      '$RADIUS_SECRET',
      '%RADIUS_SECRET%',
      '\x24{var.radius}'
    ],
    [
      'an expression of a template',
      "{{ lookup('env', 'RADIUS') }}",
      '{{ .Values.radius }}',
      '{{ radius | b64decode }}'
    ],
    [
      'the empty value of a program',
      'null',
      'undefined',
      'None',
      'nil',
      'NaN',
      '(null)',
      '[object Object]'
    ],
    [
      'a placeholder',
      'changeme',
      'CHANGE_ME',
      'change-me!',
      'ReplaceMe',
      'TODO',
      'your-radius-secret-here',
      'not-set'
    ],
    [
      VAULT,
      'aws-secretsmanager:foo',
      'awssecretsmanager://wifi',
      'vault:radius-psk',
      'azure-keyvault:wifi',
      'hashivault://secret/wifi',
      'gcp-secret-manager:wifi',
      '1password:wifi/radius',
      'vault+https://v.example/wifi',
      'https://wifi.vault.azure.net/secrets/psk'
    ],
    ['encrypted text', 'ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)', '{cipher}AQA6EDuhwGk'],
    ['an expression of a workflow', '((radius-secret))'],
    ['a variable that nothing replaced', '#{RadiusSecret}', '@@RADIUS@@', '%{RADIUS}'],
    ['the path of a file', '/run/secrets/psk', '/etc/secrets/psk', '/mnt/secrets-store/psk'],
    ['a mask', '********', '<hidden>', '••••••••', 'xxxxxxxx', 'XXXXXXXX', '########']
  ])('is reported as %s: %s, …', (looksLike, ...values) => {
    for (const value of values) {
      expect(`${value}: ${placeholderKind(value)}`).toBe(`${value}: ${looksLike}`)
      expect(placeholderKind(`${value}\n`)).toBe(looksLike)
    }
  })

  it('is no value that a user may choose', () => {
    for (const value of [
      'correct horse',
      '"half quoted',
      `it's 'fine'`,
      'opera://x y',
      'nullify',
      'changeme-2026-Ux',
      'vault:7',
      'keyvaulted:horse',
      'xxxxxxxx1234',
      '((half',
      '........',
      '/etc/hosts',
      'P$SWORD_a',
      '$ecret_Word',
      '{{psk}}',
      '{{ radius }}',
      'ENCLOSED[1]',
      'undefined behaviour',
      '%20%',
      'a:b//c',
      '"',
      'http://10.0.0.1/'
    ]) {
      expect(`${value}: ${placeholderKind(value)}`).toBe(`${value}: undefined`)
    }
  })
})
