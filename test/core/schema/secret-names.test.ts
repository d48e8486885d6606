import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wlanField } from '../../../src/core/schema/field.ts'
import { runs } from '../../support/properties.ts'

/** The minimal pattern for names of secrets. */
const PATTERN =
  /(secret|passw(or)?d|passphrase|psk|token|credential|(^|_)(keys?|kek|mack|pin|otp))$/

describe('an unknown field', () => {
  it.each([
    ...['acme_secret', 'password', 'passwd', 'wpa9_passphrase', 'psk', 'access_token', 'key'],
    ...['foo_keys', 'radsec_client_key', 'credential', 'kek', 'x_mack', 'pin', 'login_otp'],
    ...['access_tokens', 'psk_list', 'wep_key_1', 'apiKey', 'API_KEY'],
    ...['apikey', 'APIKEY', 'privatekeys', 'presharedkey']
  ])('is secret by its name: %s', name => {
    expect(wlanField.member(name).secret).toBe(true)
    expect(wlanField.member('x_new').item().member(name).secret).toBe(true)
    expect(wlanField.member('auth_servers').item().member(name).secret).toBe(true)
  })

  it.each(['keyboard', 'secretary', 'monkey', 'spin', 'tokenised', 'pinned', 'key_length'])(
    'is not secret by its name: %s',
    name => {
      expect(wlanField.member(name)).toMatchObject({ known: false, secret: false })
    }
  )

  it('is secret wherever the pattern matches', () => {
    fc.assert(
      fc.property(fc.stringMatching(PATTERN), name => {
        expect(wlanField.member('x_new').member(name).secret).toBe(true)
      }),
      runs()
    )
  })
})

describe('a known field', () => {
  it('is not secret by its name alone', () => {
    expect(wlanField.member('auth').member('multi_psk_only').secret).toBe(false)
    expect(wlanField.member('app_limit').member('apps').member('password').secret).toBe(false)
  })
})
