import type { PageData } from '../data.ts'
import { part } from './dom.ts'
import { listen } from './events.ts'
import { Page } from './page.ts'

const data = JSON.parse(part('data').textContent ?? '') as PageData
const page = new Page(data)
listen(page)
page.render()
