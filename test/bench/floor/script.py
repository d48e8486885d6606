# What a short script does instead of a plan: reads the files and the sites, and compares declared fields with live ones.
import os, resource, sys
from concurrent.futures import ThreadPoolExecutor
from glob import glob
import requests, yaml

connections, fleet = int(sys.argv[1]), sys.argv[2]
session = requests.Session()
session.mount('http://', requests.adapters.HTTPAdapter(pool_maxsize=connections))
session.headers['Authorization'] = 'Token ' + os.environ['WLANCTL_API_TOKEN']

def compare(file):
    with open(file) as text:
        declared = yaml.load(text, yaml.CSafeLoader)
    url = f"{os.environ['WLANCTL_BASE_URL']}/api/v1/sites/{declared['site']['id']}/wlans"
    live = {wlan['ssid']: wlan for wlan in session.get(url).json()}
    for wlan in declared['wlans'].values():
        found = live[wlan['ssid']]
        for name, value in wlan.items():
            if name in found and found[name] != value and not isinstance(value, (dict, list)):
                print(file, name, found[name], value)

with ThreadPoolExecutor(connections) as pool:
    list(pool.map(compare, glob(f'{fleet}/sites/*/*.yaml')))
usage = resource.getrusage(resource.RUSAGE_SELF)
os.write(3, f'{usage.ru_maxrss / 1024} {usage.ru_utime + usage.ru_stime}'.encode())
